import { createManualClock, hours, seconds, type Caller } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
let board: number;
let held: { since: number; because: string } | undefined;
const arming = {
  held: () => held,
  stop: (_by: Caller) => Promise.resolve(void (held = { since: clock.now(), because: "estop" })),
  arm: (_by: Caller) => Promise.resolve(void (held = undefined)),
};
beforeEach(async () => {
  held = undefined;
  farm = await startBoardFarm(clock);
  api = createTrialApi(farm, { arming });
  board = (await api.call("POST", "/api/equipment", { body: { ...BOARD, polling_interval_ms: 60_000 } })).id;
});
afterEach(() => farm.stop());

/** Waits for an answer that needs time to pass: ONs of one board are kept apart. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let done = false;
  const ended = answer.finally(() => (done = true));
  while (!done) await clock.advance(seconds(0.1));
  return ended;
}
const turnOn = (channel: number) =>
  inTime(api.call("POST", `/api/equipment/${board}/relay/control`, { body: { channel, state: true } }));
const states = () => [...farm.core.book.state(board).channels.values()].map(({ on }) => on);

// @proves farm.board.stagger
test("ONs on one board go out 200 ms apart", async () => {
  const times: number[] = [];
  const apart = await startBoardFarm(clock, (bytes) => {
    if (bytes[7] === 5) times.push(clock.monotonic());
  });
  const { id } = await createTrialApi(apart).call("POST", "/api/equipment", { body: BOARD });
  const ask = (channel: number) =>
    createTrialApi(apart).call("POST", `/api/equipment/${id}/relay/control`, { body: { channel, state: true } });
  await inTime(Promise.all([ask(0), ask(1), ask(2)]));
  const [first = 0, second = 0, third = 0] = times;
  expect(times).toHaveLength(3);
  expect([second - first >= 200, third - second >= 200]).toEqual([true, true]);
  await apart.stop();
});

test("an ON says how long or says nothing; null would be for ever", async () => {
  const ask = (body: object) => inTime(api.call("POST", `/api/equipment/${board}/relay/control`, { body }));
  expect(await ask({ channel: 0, state: true, duration_seconds: null })).toMatchObject({
    status: 400,
    json: { details: { field: "duration_seconds" } },
  });
  expect((await ask({ channel: 0, state: false, duration_seconds: null })).status).toBe(200);
});

describe("stop-all", () => {
  test("everything within the scope goes off, and each channel is told", async () => {
    await turnOn(0);
    await turnOn(2);
    expect(states()).toContain(true);
    expect((await api.call("POST", "/api/automations/stop-all", { body: {} })).status).toBe(400);
    expect(
      (await api.call("POST", "/api/automations/stop-all", { role: "viewer", body: { scope: "all" } })).status,
    ).toBe(403);
    const stopped = await inTime(
      api.call("POST", "/api/automations/stop-all", { body: { scope: "all", reason: "drill" } }),
    );
    expect(stopped.json).toMatchObject({
      success: true,
      disarmed: false,
      equipment: [
        { equipment_id: board, confirmed: true, channels: [0, 1, 2].map((channel) => ({ channel, off: true })) },
      ],
    });
    expect(states()).not.toContain(true);
    expect(held).toBeUndefined();
  });

  test("a zone's scope leaves the rest alone", async () => {
    const zone = (await api.call("POST", "/api/zones", { body: { name: "Elsewhere" } })).id;
    await turnOn(1);
    const stopped = await api.call("POST", "/api/automations/stop-all", { body: { scope: "zone", zone_id: zone } });
    expect(stopped.json).toMatchObject({ equipment: [] });
    expect(states()).toContain(true);
    const one = { scope: "equipment", equipment_id: board };
    expect((await inTime(api.call("POST", "/api/automations/stop-all", { body: one }))).json).toMatchObject({
      success: true,
    });
    expect(states()).not.toContain(true);
  });

  // @proves farm.relay.off-never-refused farm.equipment.disabled-not-actuated
  test("disabled equipment does not go on, but goes off, one channel at a time and with everything else", async () => {
    const control = (body: object) => inTime(api.call("POST", `/api/equipment/${board}/relay/control`, { body }));
    const all = (body: object) => inTime(api.call("POST", `/api/equipment/${board}/relay/all`, { body }));
    for (const channel of [0, 1, 2]) await turnOn(channel);
    await farm.core.book.update(board, { enabled: false }, "test", { force: true });
    expect(await control({ channel: 0, state: true })).toMatchObject({ status: 409 });
    expect(await control({ channel: 0, state: false })).toMatchObject({ status: 200, json: { confirmed: true } });
    expect(states()).toEqual([false, true, true]);
    // Refused as a whole, but for what goes off in it.
    expect(await all({ states: [true, false, true] })).toMatchObject({ status: 409 });
    expect(states()).toEqual([false, false, true]);
    const stopped = await inTime(api.call("POST", "/api/automations/stop-all", { body: { scope: "all" } }));
    expect(stopped.json).toMatchObject({ success: true, equipment: [{ equipment_id: board, confirmed: true }] });
    expect(states()).toEqual([false, false, false]);
  });

  test("an automation switches disabled equipment off, never on", async () => {
    await turnOn(0);
    await farm.core.book.update(board, { enabled: false }, "test", { force: true });
    const run = async (action: string) => {
      const actions = [{ type: "control", equipment_id: board, channel: 0, action }];
      const { id } = await api.call("POST", "/api/automations", { body: { name: action, actions } });
      return (await inTime(api.call("POST", `/api/automations/${id}/trigger`))).json["success"];
    };
    expect([await run("on"), await run("off")]).toEqual([false, true]);
    expect(states()[0]).toBe(false);
  });

  // @proves farm.automation-api.arming farm.rights.re-arm
  test("an operator disarms, everybody sees it, and only an admin arms again", async () => {
    const stopped = await api.call("POST", "/api/automations/stop-all", { body: { scope: "all", disarm: true } });
    expect(stopped.json).toMatchObject({ disarmed: true });
    const see = async () => (await api.call("GET", "/api/automations/arming", { role: "viewer" })).json;
    expect(await see()).toMatchObject({ armed: false, disarmed: true, reason: "estop" });
    const arm = { armed: true };
    expect((await api.call("POST", "/api/automations/arming", { body: arm })).status).toBe(403);
    expect((await api.call("POST", "/api/automations/arming", { role: "admin", body: arm })).json).toMatchObject({
      armed: true,
    });
    expect((await api.call("POST", "/api/automations/arming", { body: { armed: false } })).json).toMatchObject({
      armed: false,
    });
  });

  test("a hub that cannot be disarmed from here still switches off, and says so", async () => {
    const plain = createTrialApi(farm);
    await turnOn(0);
    const stopped = await inTime(
      plain.call("POST", "/api/automations/stop-all", { body: { scope: "all", disarm: true } }),
    );
    expect(stopped.json).toMatchObject({ success: true, disarmed: false, disarm_error: expect.any(String) as unknown });
    expect((await plain.call("POST", "/api/automations/arming", { role: "admin", body: { armed: true } })).status).toBe(
      501,
    );
  });
});

describe("a dry run", () => {
  const program = async (body: object) =>
    (await api.call("POST", "/api/automations", { body: { name: "Try", ...body } })).id;
  const dry = async (id: number) => (await api.call("POST", `/api/automations/${id}/test`)).json;
  let meter: number;
  beforeEach(async () => {
    meter = (await api.call("POST", "/api/equipment", { body: { name: "Meter", protocol: "other" } })).id;
    await api.call("POST", `/api/equipment/${meter}/readings`, { body: { name: "temperature", value: 31 } });
  });

  // @proves farm.automation-api.test
  test("trigger and conditions are looked at as they are, and nothing is switched or raised", async () => {
    const id = await program({
      trigger_config: {
        type: "threshold",
        equipment_id: meter,
        sensor_type: "temperature",
        operator: "gt",
        threshold_value: 30,
      },
      conditions: [
        { field: "temperature", operator: "gt", value: 30 },
        { field: `equipment:${meter}.temperature`, operator: "lt", value: "40" },
      ],
      actions: [
        { type: "control", equipment_id: board, channel: 0, action: "on" },
        { type: "alert", severity: "critical", message: "never raised" },
        { type: "control", equipment_id: 99, channel: 0, action: "on" },
      ],
    });
    const bytes = farm.core.field.counters().gateways;
    expect(await dry(id)).toMatchObject({
      automation_id: id,
      automation_name: "Try",
      status: "success",
      simulated: true,
      trigger: { type: "threshold", would_fire: true, actual: 31 },
      conditions: [{ met: true, actual: 31 }, { met: true }],
      summary: { conditions_total: 2, conditions_met: 2, actions_total: 3, actions_failing: 1 },
      actions: [
        { status: "would_execute", channels: [{ channel: 0 }] },
        { status: "would_execute" },
        { status: "error" },
      ],
    });
    expect((await api.call("GET", "/api/alerts")).rows).toEqual([]);
    expect((await api.call("GET", `/api/automations/${id}`)).json).toMatchObject({ run_count: 0, logs: [] });
    expect(farm.core.field.counters().gateways).toEqual(bytes);
  });

  test("a condition that is false, stale or strange is not met", async () => {
    const judge = async (conditions: unknown[], condition_logic = "AND") =>
      (await dry(await program({ conditions, condition_logic })))["status"];
    const field = `equipment:${meter}.temperature`;
    const [yes, no] = [
      { field, operator: "gt", value: 30 },
      { field, operator: "gt", value: 32 },
    ];
    expect(await judge([yes])).toBe("success");
    expect(await judge([no])).toBe("conditions_not_met");
    expect(await judge([no, yes], "OR")).toBe("success");
    expect(await judge([{ logic: "NOT", conditions: [no] }])).toBe("success");
    expect(await judge([{ field: `relay:${board}.0`, operator: "eq", value: false }, yes])).toBe("conditions_not_met");
    await turnOn(0);
    expect(await judge([{ field: `relay:${board}.0`, operator: "eq", value: true }])).toBe("success");
    expect(await judge([{ field: "equipment:99.x", operator: "eq", value: 1 }])).toBe("conditions_not_met");
    expect(await judge([{ field, operator: "like", value: 31 }])).toBe("conditions_not_met");
    expect(await judge([{ field: "armed", operator: "eq", value: true }])).toBe("success");
    expect(await judge([{ field: "time", value: "00:00-23:59" }])).toBe("success");
    expect(await judge([])).toBe("success");
    await clock.advance(hours(1));
    expect(await judge([yes])).toBe("conditions_not_met");
  });
});
