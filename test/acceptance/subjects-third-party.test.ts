import { silentLog, createRealClock, type Caller, type Tool } from "@steading/kernel";
import { createSteadingSubjectTools } from "@steading/steading";
import {
  createGraph,
  createSubjectTools,
  defineSubject,
  p,
  type Configure,
  type MetadataProvider,
  type MethodInfo,
  type PathProvider,
  type Subject,
  type SubjectTools,
  type TypeInfo,
} from "@steading/subjects";
import { describe, expect, test } from "vitest";
import { createHomeGraph } from "./subjects-home.ts";

// Somebody else's package: it sees the front door of ours and nothing behind it.

/** What the product exposes, written again from the exported interfaces alone. */
const acmePaths: PathProvider = {
  includes: ({ facets, shape }) =>
    facets.secret !== true && facets.exposed !== false && (shape !== undefined || (facets.role ?? "state") === "state"),
  segment: () => null,
};
const acmeMetadata: MetadataProvider = {
  subject: ({ title, icon, iconColor, description }) => ({
    ...(title === undefined ? {} : { $title: title }),
    ...(icon === undefined ? {} : { $icon: icon }),
    ...(iconColor === undefined ? {} : { $iconColor: iconColor }),
    ...(description === undefined ? {} : { $description: description }),
  }),
  methods: (subject): Iterable<MethodInfo> => subject.methods(),
};
function createAcmeSubjectTools(root: Subject | (() => Subject), configure?: Configure): SubjectTools {
  return createSubjectTools(root, (config) => {
    config.pathProvider = acmePaths;
    config.addMetadataProvider(acmeMetadata);
    configure?.(config);
  });
}

const caller: Caller = { principal: "acme", role: "operator", transport: "internal", correlation: "test" };
async function ask(tools: { readonly tools: readonly Tool[] }, name: string, args: object): Promise<unknown> {
  const tool = tools.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool.run(tool.parse(args).input, {
    caller,
    signal: new AbortController().signal,
    progress() {},
    perform: () => Promise.reject(new Error("There is no door here.")),
  });
}

describe("a package of somebody else", () => {
  // @proves subjects.layers.third-party
  test("can build what the product is built from, to the last field", async () => {
    const graph = createHomeGraph();
    const acme = createAcmeSubjectTools(() => graph.root);
    const product = createSteadingSubjectTools(() => graph.root);
    const questions: [string, object][] = [
      ["query", { depth: 10, includeProperties: true, includeAttributes: true }],
      ["query", { depth: 10, filter: { types: ["TemperatureSensor"] } }],
      ["get_property", { path: "/home/bedroom/thermostat/target" }],
      ["list_types", { kind: "all", detail: true }],
      ["list_methods", { path: "/home/bedroom/thermostat" }],
    ];
    for (const [name, args] of questions) expect(await ask(acme, name, args)).toEqual(await ask(product, name, args));
    await graph.close();
  });

  // @proves subjects.enrichers.four-points subjects.enrichers.registry-records
  test("adds subject fields, property fields, methods and types, and sees dynamic properties through the records", async () => {
    const Tank = defineSubject("acme.Tank", { props: { level: p.number({ unit: "Liter" }) } });
    const root = Tank.create({ level: 40 });
    const graph = createGraph({ clock: createRealClock(), log: silentLog, root });
    graph.registry.addProperty(root, "salinity", p.number(), 3);
    const seen: string[] = [];
    const plugin: MetadataProvider = {
      subject: (subject) => ({ $properties: [...subject.properties()].length }),
      property(property) {
        seen.push(property.name);
        return property.isDynamic ? { isDiscovered: true } : {};
      },
      methods: () => [{ name: "describe", kind: "query", invoke: () => "a tank" }],
      types: (): Iterable<TypeInfo> => [
        { name: "MyPlugin.Devices.IrrigationController", description: "Controls irrigation" },
      ],
    };
    const tools = createAcmeSubjectTools(root, (config) => void config.addMetadataProvider(plugin));
    expect(await ask(tools, "query", { depth: 0, includeProperties: true })).toMatchObject({
      subject: {
        $properties: 2,
        $methods: ["describe"],
        level: { value: 40, unit: "Liter" },
        salinity: { value: 3, isDiscovered: true },
      },
    });
    expect(seen).toContain("salinity");
    expect(await ask(tools, "invoke_method", { path: "/", method: "describe" })).toEqual({
      success: true,
      result: "a tank",
    });
    expect(await ask(tools, "list_types", {})).toMatchObject({
      types: [{ name: "MyPlugin.Devices.IrrigationController", description: "Controls irrigation" }],
    });
    await graph.close();
  });
});
