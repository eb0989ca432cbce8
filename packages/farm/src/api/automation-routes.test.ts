import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type Row, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
let board: number;
let writes: string[] = [];
beforeEach(async () => {
  writes = [];
  farm = await startBoardFarm(clock, (bytes) => {
    if (bytes[7] === 5) writes.push(`${bytes.readUInt16BE(8)} ${bytes[10] === 0xff ? "on" : "off"}`);
  });
  api = createTrialApi(farm);
  board = (await api.call("POST", "/api/equipment", { body: { ...BOARD, polling_interval_ms: 60_000 } })).id;
});
afterEach(() => farm.stop());

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let done = false;
  const ended = answer.finally(() => (done = true));
  while (!done) await clock.advance(seconds(0.1));
  return ended;
}
async function run(actions: object[], more: object = {}): Promise<{ readonly id: number; readonly json: Row }> {
  const { id } = await api.call("POST", "/api/automations", { body: { name: "Program", actions, ...more } });
  return { id, json: (await inTime(api.call("POST", `/api/automations/${id}/trigger`))).json };
}
const control = (channel: number | null, action: string, equipment_id = board) => ({
  type: "control",
  equipment_id,
  channel,
  action,
});

// @proves farm.action.sequential farm.action.control farm.action.toggle farm.action.log farm.automation.log-times farm.trigger.manual farm.condition.manual-bypass
test("actions run one after another, also of a disabled program whose conditions are false", async () => {
  const began = clock.now();
  const { id, json } = await run(
    [
      control(1, "on"),
      { type: "log", message: "half way" },
      control(1, "toggle"),
      control(null, "off"),
      { type: "alert", severity: "info", message: "done" },
    ],
    { enabled: false, conditions: [{ field: "armed", operator: "eq", value: false }] },
  );
  expect(writes).toEqual(["1 on", "1 off", "0 off", "1 off", "2 off"]);
  expect(json).toMatchObject({
    success: true,
    executed_actions: [
      { type: "control", status: "executed", channel: 1, action: "on", channel_name: "r1" },
      { type: "log", status: "executed", message: "half way" },
      { type: "control", status: "executed", action: "toggle" },
      {
        type: "control",
        status: "executed",
        channel: null,
        channels: [{ channel: 0 }, { channel: 1 }, { channel: 2 }],
      },
      { type: "alert", status: "executed" },
    ],
  });
  const { logs } = (await api.call("GET", `/api/automations/${id}?shape=parsed`)).json;
  const [log] = logs as Row[];
  expect(log).toMatchObject({ status: "success", outcome: "ok", source: "manual" });
  expect(log?.["detail"]).toContainEqual(expect.objectContaining({ type: "log", message: "half way" }));
  expect(Date.parse(String(log?.["triggered_at"]))).toBe(began);
  expect(Date.parse(String(log?.["completed_at"]))).toBe(clock.now());
});

// @proves farm.action.control-unknown-equipment farm.action.stop-on-error farm.action.unknown-type
test("after a failed control nothing more goes on, but what should go off does", async () => {
  const { id, json } = await run([control(0, "on", 99), control(1, "on"), control(2, "off")]);
  expect(json).toMatchObject({
    success: false,
    executed_actions: [
      { status: "error", equipment: null },
      { status: "error" },
      { status: "executed", action: "off" },
    ],
  });
  expect(writes).toEqual(["2 off"]);
  expect((await api.call("GET", `/api/automations/${id}`)).json["logs"]).toMatchObject([
    { status: "failure", outcome: "partial" },
  ]);
  const strange = { name: "x", actions: [{ type: "explode" }] };
  expect((await api.call("POST", "/api/automations", { body: strange })).status).toBe(400);
  // A row that came from elsewhere is not skipped in silence.
  const row = farm.core.automations.get(id);
  farm.core.tables.touch("automations", { ...row, actions: [{ type: "explode" }] });
  expect((await api.call("POST", `/api/automations/${id}/trigger`)).json).toMatchObject({
    success: false,
    executed_actions: [{ type: "explode", status: "error" }],
  });
});

test("a board that does not know the frame for all coils is switched channel by channel, without a false alarm", async () => {
  const old = (await api.call("POST", "/api/equipment", { body: { ...BOARD, slave_id: 8 } })).id;
  const all = (state: boolean) => inTime(api.call("POST", `/api/equipment/${old}/relay/all`, { body: { state } }));
  expect((await all(true)).json).toMatchObject({ success: true, channels: 3, confirmed: true });
  expect(writes).toEqual(["0 on", "1 on", "2 on"]);
  expect((await all(false)).json).toMatchObject({ success: true, confirmed: true });
  expect(writes.slice(3)).toEqual(["0 off", "1 off", "2 off"]);
  expect((await api.call("GET", "/api/alerts")).rows).toEqual([]);
});

// @proves farm.rest.codes-state
test("what a safety rule refuses is 422 and says so; an OFF passes all the same", async () => {
  farm.door.registerInterlock({
    name: "trial",
    applies: () => true,
    check: () => ({ code: "EXCLUDED", message: "The vent is open.", retryable: false }),
  });
  const ask = (state: boolean) =>
    inTime(api.call("POST", `/api/equipment/${board}/relay/control`, { body: { channel: 0, state } }));
  expect(await ask(true)).toMatchObject({ status: 422, json: { error: "Refused", message: "The vent is open." } });
  expect(writes).toEqual([]);
  expect((await ask(false)).status).toBe(200);
  // A whole board with something to switch on is refused as a whole; what goes off in it does.
  const states = [true, false, false];
  const all = await inTime(api.call("POST", `/api/equipment/${board}/relay/all`, { body: { states } }));
  expect(all.status).toBe(422);
  expect(writes).toEqual(["0 off", "1 off", "2 off"]);
  const zone = (await api.call("POST", "/api/zones", { body: { name: "Bed" } })).id;
  const link = () => api.call("POST", `/api/zones/${zone}/equipment`, { body: { equipment_id: board } });
  expect([(await link()).status, (await link()).status]).toEqual([201, 409]);
  expect((await api.call("GET", "/api/automations/77")).status).toBe(404);
});
