import { createManualClock, silentLog, type Caller, type ToolContext } from "@steading/kernel";
import { createGraph, defineInterface, defineSubject, m, p } from "@steading/subjects";
import { expect, test } from "vitest";
import * as z from "zod";
import { createSteadingSubjectTools } from "./subject-tools.ts";

const Sensor = defineInterface("test.Sensor", { description: "Measures", props: { temperature: p.number() } });
const Room = defineSubject("test.Room", {
  implements: [Sensor],
  description: "A room",
  props: {
    temperature: p.number({ unit: "DegreeCelsius" }),
    openings: p.integer().cumulative(),
    label: p.string().config(),
    spare: p.string().diagnostic().default(""),
  },
  methods: { air: m.operation({ input: z.object({}) }, () => {}) },
  title: (room) => room.label,
  icon: "door",
  iconColor: "#aa5500",
});

const CALLER: Caller = { principal: "anna", role: "operator", transport: "internal", correlation: "1" };

function room() {
  const graph = createGraph({ clock: createManualClock(), log: silentLog });
  graph.attach("/", "hall", Room.create({ temperature: 20, openings: 3, label: "Hall" }));
  return graph;
}

async function answer(
  tools: ReturnType<typeof createSteadingSubjectTools>,
  name: string,
  args: object,
): Promise<unknown> {
  const tool = tools.tools.find((each) => each.name === name) ?? expect.fail(`there is no ${name}`);
  const context: ToolContext = {
    caller: CALLER,
    signal: new AbortController().signal,
    progress: () => {},
    perform: () => expect.fail("nothing leaves the hub here"),
  };
  return tool.run(tool.parse(args).input, context);
}

// @proves subjects.row.layers-integration-defaults subjects.layers.root-function
test("with no further word every state property and declared method is there, with title, icon and unit", async () => {
  const graph = room();
  const tools = createSteadingSubjectTools(() => graph.root);
  expect(await answer(tools, "query", { includeProperties: true })).toMatchObject({
    subjects: {
      hall: {
        $title: "Hall",
        $icon: "door",
        $iconColor: "#aa5500",
        $description: "A room",
        $interfaces: ["test.Sensor"],
        $methods: ["air"],
        temperature: { value: 20, unit: "DegreeCelsius" },
        openings: { value: 3, isCumulative: true },
      },
    },
  });
  expect(JSON.stringify(await answer(tools, "query", { includeProperties: true }))).not.toMatch(/"label"|"spare"/);
  expect(await answer(tools, "list_types", {})).toMatchObject({
    types: [{ name: "test.Sensor", description: "Measures" }],
  });
});

// @proves subjects.layers.configure-last subjects.row.layers-title-override
test("what the caller configures comes last and overrides the product's word", async () => {
  const graph = room();
  const tools = createSteadingSubjectTools(graph.root, (config) => {
    config.addMetadataProvider({ subject: () => ({ $title: "Mine" }) });
    config.access = "read";
  });
  expect(await answer(tools, "query", {})).toMatchObject({ subjects: { hall: { $title: "Mine" } } });
  await expect(answer(tools, "set_property", { path: "/hall/temperature", value: 1 })).rejects.toMatchObject({
    code: "SERVER_READ_ONLY",
  });
});
