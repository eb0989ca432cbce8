import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { silentLog, createRealClock, type Caller, type Tool } from "@steading/kernel";
import { createSteadingSubjectTools } from "@steading/steading";
import { createGraph, defineSubject, p, type PropertyInfo } from "@steading/subjects";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../support/steading-command.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createAcmeSubjectTools, irrigation } from "../third-party/acme-irrigation/index.ts";
import { createHomeGraph } from "./subjects-home.ts";

// Somebody else's package: it sees the front door of ours and nothing behind it.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ACME = fileURLToPath(new URL("../third-party/acme-irrigation/", import.meta.url));

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
    const plugin = {
      ...irrigation,
      property(property: PropertyInfo) {
        seen.push(property.name);
        return irrigation.property?.(property) ?? {};
      },
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

  test("imports front doors alone, and finds nothing else to import", async () => {
    const imports = readdirSync(ACME)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...readFileSync(`${ACME}${file}`, "utf8").matchAll(/from "([^"]+)"/g)])
      .map(([, name]) => name);
    expect(new Set(imports)).toEqual(new Set(["@steading/kernel", "@steading/subjects", "./index.ts"]));
    for (const inside of ["@steading/subjects/src/graph/engine.ts", "@steading/subjects/dist/graph/engine.js"])
      await expect(import(/* @vite-ignore */ inside)).rejects.toThrow();
  });

  // @proves subjects.layers.third-party
  test("runs by itself, with our two packages beside it and no other", async () => {
    const folder = await createTemporaryFolder();
    try {
      cpSync(ACME, folder.at("acme"), { recursive: true });
      mkdirSync(folder.at("acme/node_modules/@steading"), { recursive: true });
      for (const name of ["kernel", "subjects"])
        symlinkSync(`${ROOT}packages/${name}`, folder.at(`acme/node_modules/@steading/${name}`));
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--conditions=@steading/source", "--import", "tsx", folder.at("acme/main.ts")],
        { cwd: ROOT, env: plainEnvironment() },
      );
      const answers: unknown = JSON.parse(stdout);
      expect(answers).toMatchObject({
        query: { subject: { $methods: ["drain", "describe"], $properties: 2, fill: { value: 40, unit: "Liter" } } },
        methods: { methods: [{ name: "drain" }, { name: "describe" }] },
        described: { success: true, result: "a tank" },
        fill: { value: 40, type: "number", unit: "Liter" },
      });
      expect(stdout).not.toContain("4711");
      expect(stdout).toContain("Acme.Valve");
      expect(stdout).toContain("MyPlugin.Devices.IrrigationController");
    } finally {
      await folder.remove();
    }
  });
});
