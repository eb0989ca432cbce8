import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { Folder } from "../graph/folder.ts";
import type { Source } from "../sources/source.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { openRoot } from "./testing/open-root.ts";

const Valve = defineSubject("test.Valve", { props: { opening: p.number({ min: 0, max: 100 }).writable() } });

async function openMirror({ rejects = false }: { rejects?: boolean } = {}) {
  const { graph, tools } = openRoot(Folder.create());
  const valve = Valve.create({ opening: 10 });
  const sent: unknown[] = [];
  const source: Source = {
    writes: "mirror",
    async start(context) {
      context.attach("", "valve", valve);
      context.claim(valve, ["opening"]);
    },
    load: async () => [{ subject: valve, property: "opening", value: 10 }],
    async writeChanges(changes) {
      if (rejects) return { failed: changes, error: new Error("no") };
      sent.push(...changes.map(({ value }) => value));
      return { failed: [] };
    },
    async stop() {},
  };
  const handle = graph.addSource("other-hub", source, { mount: "/mirror" });
  await handle.start();
  const set = (value: unknown, extra: object = {}) =>
    callTool(tools, "set_property", { path: "/mirror/valve/opening", value, ...extra });
  return { valve, sent, handle, set, tools };
}

describe("writing what a mirror owns", () => {
  // @proves subjects.set-property.status-queued kernel.approval.await-device-both-spellings
  test("the model has it at once and the other side later: queued; with await it is sent first", async () => {
    const { set, valve, sent } = await openMirror();
    expect(await set(20)).toEqual({ success: true, previousValue: 10, value: 20, status: "queued" });
    expect([valve.opening, sent]).toEqual([20, []]);
    expect(await set(30, { await: "device" })).toMatchObject({ previousValue: 20, value: 30, status: "acknowledged" });
    expect(sent).toContain(30);
    expect(await set(40, { confirm: "device" })).toMatchObject({ status: "acknowledged" });
  });

  // @proves subjects.row.s9
  test("S9: awaited while the other side is away is SOURCE_UNAVAILABLE, and the model is unchanged", async () => {
    const { set, valve, handle } = await openMirror();
    await handle.stop();
    expect(await errorOf(set(20, { await: "device" }))).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(valve.opening).toBe(10);
  });

  // @proves subjects.error.source-rejected
  test("refused by the other side is SOURCE_REJECTED, and the model is unchanged", async () => {
    const { set, valve } = await openMirror({ rejects: true });
    expect(await errorOf(set(20, { await: "device" }))).toMatchObject({ code: "SOURCE_REJECTED" });
    expect(valve.opening).toBe(10);
  });

  test("its diagnostics are subjects like others", async () => {
    const { tools } = await openMirror();
    const answer = await callTool(tools, "query", { path: "/system/sources", depth: 1, includeProperties: true });
    expect(at(answer, "subjects", "other-hub")).toBeDefined();
  });
});
