import { createSteadingSubjectTools } from "@steading/steading";
import { createSubjectTools, declaredMethods, state, type Graph } from "@steading/subjects";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CLIENTS } from "../support/mcp-clients.ts";
import { isRecord, type ToolCaller } from "../support/tool-caller.ts";
import { BEDS, createHomeGraph, serveTools, type ServedTools } from "./subjects-home.ts";

let graph: Graph;
let served: ServedTools;

beforeAll(async () => {
  graph = createHomeGraph();
  served = await serveTools(
    createSubjectTools(graph, (config) => {
      config.pathProvider = state();
      config.addMetadataProvider(declaredMethods());
    }),
  );
});
afterAll(async () => {
  await served.close();
  await graph.close();
});

for (const client of CLIENTS) {
  describe(`the seed's examples on a tree of a thousand subjects, ${client.name}`, () => {
    let caller: ToolCaller;
    beforeAll(async () => {
      caller = await client.connect(served.connection);
    });
    afterAll(() => caller.close());
    beforeEach(() => graph.find("/home/bedroom/thermostat")?.$set("target", 22));

    const ask = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const answer = await caller.call(tool, args);
      expect(answer.isError).toBe(false);
      expect(answer.json).toEqual(answer.structured);
      return answer.json;
    };

    // @proves subjects.wire.success subjects.seed.additive-only
    test("query", async () => {
      const answer = await ask("query", {
        path: "/home",
        depth: 2,
        includeProperties: true,
        filter: { excludeTypes: ["home.Bed"] },
      });
      expect(answer).toMatchObject({
        path: "/home",
        subjects: {
          livingRoom: {
            $type: "Room",
            $interfaces: ["home.abstractions.sensors.TemperatureSensor", "home.abstractions.sensors.HumiditySensor"],
            $title: "Living Room",
            $icon: "weekend",
            $methods: ["calibrate"],
            $hasChildren: false,
            temperature: { value: 21.5, unit: "DegreeCelsius", isWritable: false },
            humidity: { value: 45, unit: "Percent", isWritable: false },
          },
          bedroom: {
            $title: "Bedroom",
            $hasChildren: true,
            temperature: { value: 19.2, unit: "DegreeCelsius", isWritable: false },
            thermostat: {
              $type: "Thermostat",
              $methods: ["setTarget", "turnOff"],
              $hasChildren: false,
              temperature: { value: 19.2, isWritable: false },
              target: { value: 22, isWritable: true },
            },
          },
        },
        truncated: false,
        subjectCount: 3,
      });
    });

    test("list_types", async () => {
      const { types } = await ask("list_types", {});
      expect(types).toMatchObject([
        { name: "home.abstractions.devices.Controllable", description: "Can be told what to do" },
        { name: "home.abstractions.sensors.HumiditySensor", description: "Provides humidity readings" },
        { name: "home.abstractions.sensors.TemperatureSensor", description: "Provides temperature readings" },
      ]);
    });

    test("get_property and set_property", async () => {
      const path = "/home/bedroom/thermostat/target";
      expect(await ask("get_property", { path: "/home/bedroom/temperature" })).toMatchObject({
        value: 19.2,
        type: "number",
        isWritable: false,
        unit: "DegreeCelsius",
      });
      expect(await ask("set_property", { path, value: 23.0 })).toMatchObject({ success: true, previousValue: 22.0 });
      expect(await ask("get_property", { path })).toMatchObject({ value: 23 });
    });

    test("list_methods and invoke_method", async () => {
      const path = "/home/bedroom/thermostat";
      expect(await ask("list_methods", { path })).toMatchObject({
        methods: [
          { name: "setTarget", kind: "operation", parameters: [{ name: "temperature", type: "number" }] },
          { name: "turnOff", kind: "operation", parameters: [] },
        ],
      });
      expect(await ask("invoke_method", { path, method: "setTarget", arguments: { temperature: 23 } })).toEqual({
        success: true,
      });
      expect(await ask("get_property", { path: `${path}/target` })).toMatchObject({ value: 23 });
    });

    test("capabilities are found over the whole tree, and all beds by following the cursor", async () => {
      const found = await ask("query", { depth: 10, filter: { types: ["home.abstractions.devices.Controllable"] } });
      expect(Object.keys(found["subjects"] as object)).toEqual(["home/bedroom/thermostat"]);
      const seen = new Set<string>();
      let cursor: unknown;
      do {
        const page = await ask("query", { path: "/home/beds", ...(cursor === undefined ? {} : { cursor }) });
        for (const key of Object.keys(page["subjects"] as object)) seen.add(key);
        cursor = page["cursor"];
      } while (cursor !== undefined);
      expect(seen.size).toBe(BEDS);
    });

    // @proves subjects.wire.failure
    test("a failure is an error with one text block and no structured content", async () => {
      const answer = await caller.call("get_property", { path: "/home/bedrom/temperature" });
      expect(answer).toMatchObject({ isError: true, structured: undefined, blocks: 1 });
      expect(answer.json).toMatchObject({
        code: "PATH_NOT_FOUND",
        resolved: "/home",
        missing: "bedrom",
        suggestions: ["/home/bedroom"],
      });
    });
  });
}

describe("the packaged tools", () => {
  // @proves subjects.row.layers-integration-defaults subjects.row.layers-title-override
  test("one line exposes every state property and declared method, with title, icon and unit; configure can override", async () => {
    const packaged = await serveTools(createSteadingSubjectTools(() => graph.root));
    const titled = await serveTools(
      createSteadingSubjectTools(
        () => graph.root,
        (config) => void config.addMetadataProvider({ subject: () => ({ $title: "Mine" }) }),
      ),
    );
    const [{ connect } = { connect: undefined }] = CLIENTS;
    if (connect === undefined) throw new Error("There is no client.");
    try {
      const caller = await connect(packaged.connection);
      const answer = await caller.call("query", {
        path: "/home",
        includeProperties: true,
        filter: { excludeTypes: ["Bed"] },
      });
      expect(answer.structured).toMatchObject({
        subjects: {
          livingRoom: {
            $title: "Living Room",
            $icon: "weekend",
            $methods: ["calibrate"],
            temperature: { unit: "DegreeCelsius" },
            humidity: { value: 45 },
          },
        },
      });
      await caller.close();
      const other = await connect(titled.connection);
      const { structured } = await other.call("query", { path: "/home/livingRoom", depth: 0 });
      expect(isRecord(structured) && structured["subject"]).toMatchObject({ $title: "Mine" });
      await other.close();
    } finally {
      await packaged.close();
      await titled.close();
    }
  });
});
