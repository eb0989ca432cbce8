import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answer, BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type Row, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
let board: number;
let access: "read" | "write";
let writes: string[];
/** Called when a coil is written, before the board answers. */
let onWrite: (write: string) => void;

beforeEach(async () => {
  access = "write";
  writes = [];
  onWrite = () => {};
  const onRequest = (bytes: Buffer): void => {
    const fc = bytes[7];
    if (fc !== 5 && fc !== 15) return;
    const write = fc === 15 ? "all" : `${bytes.readUInt16BE(8)} ${bytes[10] === 0xff ? "on" : "off"}`;
    writes.push(write);
    onWrite(write);
  };
  farm = await startBoardFarm(clock, onRequest, { access: () => access });
  api = createTrialApi(farm);
  board = (await api.call("POST", "/api/equipment", { body: { ...BOARD, polling_interval_ms: 60_000 } })).id;
});
afterEach(() => farm.stop());

async function inTime<T>(ending: Promise<T>): Promise<T> {
  let done = false;
  const ended = ending.finally(() => (done = true));
  while (!done) await clock.advance(seconds(0.1));
  return ended;
}
const control = (channel: number | null, action: string) => ({ type: "control", equipment_id: board, channel, action });
const program = async (actions: object[], more: object = {}): Promise<number> =>
  (await api.call("POST", "/api/automations", { body: { name: "Program", actions, ...more } })).id;
const states = () => [0, 1, 2].map((channel) => farm.core.book.state(board).channels.get(channel)?.on ?? false);

/** Triggers, and does something at the moment when the given coil is written. */
async function meddled(id: number, at: string, meddle: () => Promise<unknown>): Promise<Row> {
  let meddling: Promise<unknown> | undefined;
  onWrite = (write) => {
    if (write === at) meddling ??= meddle();
  };
  const { json } = await inTime(api.call("POST", `/api/automations/${id}/trigger`));
  if (!meddling) throw new Error(`${at} was never written.`);
  await inTime(meddling);
  return json;
}
const lastLog = async (id: number): Promise<Row> =>
  ((await api.call("GET", `/api/automations/${id}`)).json["logs"] as Row[])[0] ?? {};
const ons = () => writes.filter((write) => write.endsWith(" on"));

const UP = () => [control(0, "on"), control(1, "on"), control(2, "on")];

describe("stop-all", () => {
  const stop = (scope: object) => () => api.call("POST", "/api/automations/stop-all", { body: scope });

  // @proves farm.stop-all.cancels
  test("ends a run between two of its actions: what should go on stays off, and the run says so", async () => {
    const id = await program([...UP(), { type: "alert", severity: "info", message: "all on" }]);
    const json = await meddled(id, "0 on", stop({ scope: "all" }));
    expect(ons()).toEqual(["0 on"]);
    expect(states()).toEqual([false, false, false]);
    expect(json).toMatchObject({ success: false, message: expect.stringContaining("stopped") as unknown });
    const results = json["executed_actions"] as Row[];
    expect(results.slice(1).map(({ status }) => status)).toEqual(["error", "error", "error"]);
    expect(results[3]).toMatchObject({ error: expect.stringContaining("stop-all") as unknown });
    expect(await lastLog(id)).toMatchObject({
      status: "failure",
      message: expect.stringContaining("stop-all") as unknown,
    });
    expect((await api.call("GET", "/api/alerts")).rows.filter(({ source }) => source === "automation")).toEqual([]);
  });

  test("what the run would have switched off still goes off", async () => {
    const id = await program([control(0, "on"), control(1, "on"), control(2, "off")]);
    const json = await meddled(id, "0 on", stop({ scope: "all" }));
    expect(ons()).toEqual(["0 on"]);
    expect(writes).toContain("2 off");
    expect((json["executed_actions"] as Row[])[2]).toMatchObject({ action: "off", status: "executed" });
  });

  test("an ON of the run that is kept back for the sake of the fuse never goes out", async () => {
    const other = (await api.call("POST", "/api/equipment", { body: { ...BOARD, slave_id: 2 } })).id;
    const id = await program([control(0, "on"), { ...control(1, "on"), equipment_id: other }, control(1, "on")]);
    const run = api.call("POST", `/api/automations/${id}/trigger`);
    // The second ON of one board within 200 ms: it waits, on its way out.
    for (let i = 0; i < 400 && farm.core.book.state(other).channels.get(1)?.on !== true; i += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ons()).toEqual(["0 on", "1 on"]);
    await farm.core.automations.toggle(id, false, "test");
    expect((await inTime(run)).json).toMatchObject({ success: false });
    expect(ons()).toEqual(["0 on", "1 on"]);
  });

  test("a run that has nothing to do with the scope goes on", async () => {
    const elsewhere = (await api.call("POST", "/api/equipment", { body: { ...BOARD, slave_id: 2 } })).id;
    const zone = (await api.call("POST", "/api/zones", { body: { name: "Elsewhere" } })).id;
    await api.call("POST", `/api/zones/${zone}/equipment`, { body: { equipment_id: elsewhere } });
    const id = await program(UP());
    expect(await meddled(id, "0 on", stop({ scope: "zone", zone_id: zone }))).toMatchObject({ success: true });
    writes = [];
    const one = stop({ scope: "equipment", equipment_id: elsewhere });
    expect(await meddled(id, "1 on", one)).toMatchObject({ success: true });
    writes = [];
    const own = stop({ scope: "equipment", equipment_id: board });
    expect(await meddled(id, "1 on", own)).toMatchObject({ success: false });
    expect(ons()).toEqual(["0 on", "1 on"]);
  });

  test("a run that was asked for after it is a run of its own", async () => {
    const id = await program(UP());
    await meddled(id, "0 on", stop({ scope: "all" }));
    onWrite = () => {};
    expect((await inTime(api.call("POST", `/api/automations/${id}/trigger`))).json).toMatchObject({ success: true });
    expect(states()).toEqual([true, true, true]);
  });
});

// @proves farm.disarm.blocks-on farm.disarm.off-passes
test("a hub that is disarmed in the middle of a run switches nothing more on, and the run is no success", async () => {
  const id = await program([control(0, "on"), control(1, "on"), control(0, "off")]);
  const json = await meddled(id, "0 on", () => Promise.resolve((access = "read")));
  expect(ons()).toEqual(["0 on"]);
  expect(json).toMatchObject({
    success: false,
    executed_actions: [{ status: "executed" }, { status: "error" }, { status: "executed", action: "off" }],
  });
  expect(await lastLog(id)).toMatchObject({ status: "failure" });
});

describe("a program that is changed while it runs", () => {
  const withOff = () => [...UP(), control(2, "off")];
  const cases: [string, (id: number) => Promise<unknown>][] = [
    ["disabled", (id) => api.call("POST", `/api/automations/${id}/toggle`, { body: { enabled: false } })],
    ["disabled by an edit", (id) => api.call("PUT", `/api/automations/${id}`, { body: { enabled: false } })],
    ["given other actions", (id) => api.call("PUT", `/api/automations/${id}`, { body: { actions: [] } })],
    ["deleted", (id) => api.call("DELETE", `/api/automations/${id}`)],
  ];
  for (const [what, change] of cases) {
    test(`${what}: nothing more goes on, what should go off does`, async () => {
      const id = await program(withOff());
      expect(await meddled(id, "0 on", () => change(id))).toMatchObject({ success: false });
      expect(writes).toEqual(["0 on", "2 off"]);
    });
  }

  test("given other actions by its template: nothing more goes on", async () => {
    const body = { name: "Shared", actions: UP() };
    const template_id = (await api.call("POST", "/api/automation-templates", { body })).id;
    const id = await program([], { template_id });
    const change = { body: { actions: [control(0, "on")] } };
    const edit = () => api.call("PUT", `/api/automation-templates/${template_id}`, change);
    expect(await meddled(id, "0 on", edit)).toMatchObject({ success: false });
    expect(ons()).toEqual(["0 on"]);
  });

  test("another name, or being enabled, does not end it", async () => {
    const id = await program(UP(), { enabled: false });
    const rename = () => api.call("PUT", `/api/automations/${id}`, { body: { name: "Other", actions: UP() } });
    expect(await meddled(id, "0 on", rename)).toMatchObject({ success: true });
    const enable = () => api.call("POST", `/api/automations/${id}/toggle`, { body: { enabled: true } });
    expect(await meddled(id, "0 on", enable)).toMatchObject({ success: true });
  });

  test("a change that is refused does not end it", async () => {
    const mute = (await api.call("POST", "/api/equipment", { body: { ...BOARD, slave_id: 3, write_only: true } })).id;
    const id = await program(UP());
    const body = { enabled: false, actions: [{ ...control(0, "toggle"), equipment_id: mute }] };
    const edit = async () => expect((await api.call("PUT", `/api/automations/${id}`, { body })).status).toBe(422);
    expect(await meddled(id, "0 on", edit)).toMatchObject({ success: true });
  });

  test("a model that disables it need not wait for the run that a model started", async () => {
    const id = await program(UP());
    let disabling: Promise<unknown> | undefined;
    onWrite = () => {
      disabling ??= answer(farm, "toggle_automation", { automation_id: id, enabled: false });
    };
    const first = answer(farm, "trigger_automation", { automation_id: id });
    const second = farm.dispatcher.call({
      tool: "trigger_automation",
      arguments: { automation_id: id },
      caller: { principal: "user:other", role: "operator", transport: "internal", correlation: "trial" },
    });
    expect((await inTime(first)).structured).toMatchObject({ success: false });
    await disabling;
    expect(await inTime(second)).toMatchObject({ kind: "error" });
    expect(ons()).toEqual(["0 on"]);
  });
});
