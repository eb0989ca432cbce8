import { readFileSync } from "node:fs";
import type { Tool } from "@steading/kernel";
import { createGraph, defineSubject, p } from "@steading/subjects";
import { createRealClock, silentLog } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { tools } from "./subjects-docs-lamp.ts";
import { configured, rooms, upper } from "./subjects-docs-providers.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../docs/mcp.md");
const samples = [...page.matchAll(/```ts\n(.*?)\n```/gs)].map((match) => match[1] ?? "");

async function ask(toolset: { readonly tools: readonly Tool[] }, name: string, args: object): Promise<unknown> {
  const tool = toolset.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool.run(tool.parse(args).input, {
    caller: { principal: "reader", role: "operator", transport: "internal", correlation: "docs" },
    signal: new AbortController().signal,
    progress() {},
    perform: () => Promise.reject(new Error("There is no door here.")),
  });
}

describe("docs/mcp.md", () => {
  // @proves subjects.layers.docs
  test("shows only code that is compiled and run here, and there is a page on the packaged tools", () => {
    const compiled = `${read("./subjects-docs-lamp.ts")}\n${read("./subjects-docs-providers.ts")}`;
    expect(samples).toHaveLength(4);
    for (const sample of samples) expect(compiled).toContain(sample);
    expect(read("../../docs/reference/packaged-tools.md")).toContain("access");
  });

  test("the first sample exposes what was opted in and nothing else", async () => {
    const answer = await ask(tools, "query", { includeProperties: true });
    expect(answer).toMatchObject({ subject: { on: { value: false, isWritable: true } } });
    expect(JSON.stringify(answer)).not.toContain("for us alone");
  });

  test("the configured tools and providers do what the page says", async () => {
    const Meter = defineSubject("docs.Meter", {
      props: { total: p.number().cumulative(), state: p.number().writable() },
    });
    const root = Meter.create({ total: 5, state: 1 });
    const graph = createGraph({ clock: createRealClock(), log: silentLog, root });
    const set = configured(root, { types: () => [{ name: "docs.Extra", isInterface: true, definition: undefined }] });
    expect(await ask(set, "get_property", { path: "/state" })).toMatchObject({ isWritable: false });
    expect(await ask(set, "list_types", {})).toMatchObject({ types: [{ name: "docs.Extra" }] });
    expect(upper.segment(root.$info.property("total") ?? never())).toBe("TOTAL");
    const { property, methods } = rooms(new Map());
    expect(property?.(root.$info.property("total") ?? never())).toEqual({ isCumulative: true });
    expect([...(methods?.(root.$info) ?? [])]).toHaveLength(1);
    await graph.close();
  });
});

function never(): never {
  throw new Error("There is no such property.");
}
