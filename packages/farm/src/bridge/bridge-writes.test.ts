import { createManualClock, seconds, type ManualClock } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { send, startReferenceCore, type ReferenceCore } from "./testing/reference-core.ts";
import { createTrialBridge, type TrialBridge } from "./testing/trial-bridge.ts";

let clock: ManualClock;
let core: ReferenceCore;
let trial: TrialBridge;
beforeEach(async () => {
  clock = createManualClock();
  core = await startReferenceCore();
  trial = createTrialBridge({ url: core.url, service: { email: "b@farm.example", password: "a password" }, clock });
});
afterEach(async () => {
  await trial.stop();
  await core.close();
});

const CONTROL = "/api/equipment/1/relay/control";
const on = { equipment_id: 1, channel: 1, state: true };

describe("control_relay", () => {
  test("sends channel and state, and tells what the core confirms", async () => {
    const { structured } = await trial.answer("control_relay", { ...on, reason: "dry" });
    expect(structured).toMatchObject({ success: true, channel: 1, state: true, writeOnly: false, confirmed: true });
    expect(structured["receipt"]).toMatchObject({ stage: "acknowledged" });
    expect(core.seen.at(-1)?.body).toBe('{"channel":1,"state":true}');
  });

  test("a repeat with the same key does not reach the core again", async () => {
    const first = await trial.answer("control_relay", { ...on, idempotency_key: "k" });
    const second = await trial.answer("control_relay", { ...on, idempotency_key: "k" });
    expect(second.structured).toEqual(first.structured);
    expect(core.writes).toHaveLength(1);
  });

  test("a channel that the board is known not to have is refused with those it has, and not sent", async () => {
    await trial.bridge.start(new AbortController().signal);
    const refused = await trial.refusal("control_relay", { ...on, channel: 999 });
    expect(refused).toMatchObject({ status: 400, retryable: false });
    expect(refused["message"]).toContain("Its channels are 0, 1.");
    expect(core.writes).toEqual([]);
  });

  test("equipment that is not there is 404 and names what is", async () => {
    await trial.bridge.start(new AbortController().signal);
    const refused = await trial.refusal("control_relay", { ...on, equipment_id: 44 });
    expect(refused).toMatchObject({ status: 404, retryable: false });
    expect(refused["message"]).toBe("There is no equipment 44. There is 2, 1.");
  });

  const answers: [string, number, unknown, object][] = [
    ["a device error of the reference", 500, { error: "Modbus exception 2" }, { status: 502, retryable: true }],
    ["a silent device of the reference", 500, { error: "Timed out" }, { status: 504, retryable: true }],
    ["a silent device", 504, { error: "Device Timeout", message: "m" }, { status: 504, retryable: true }],
    ["a write that does not read back", 200, { success: true, confirmed: false }, { status: 502, retryable: true }],
    ["a core that says no success", 200, { success: false }, { status: 502, retryable: true }],
    ["a core that shows another state", 200, { success: true, state: false }, { status: 502, retryable: true }],
    ["a bad channel", 400, { error: "Bad channel" }, { status: 400, retryable: false }],
    ["a conflict", 409, { error: "Conflict", message: "held" }, { status: 409, retryable: false }],
    [
      "an interlock of our own core",
      422,
      { error: "Refused", message: "held", code: "EXCLUDED", retryable: true, rule: "interlock" },
      { status: 422, rule: "interlock", code: "EXCLUDED" },
    ],
    ["a core that is busy", 429, {}, { status: 503, retryable: true }],
    ["a core without its database", 503, { error: "x" }, { status: 503, retryable: true }],
  ];
  // @proves farm.tool.error-device farm.tool.error-shape
  test.each(answers)("%s", async (_what, status, body, expected) => {
    core.trouble(CONTROL, (response) => send(response, status, body));
    const refused = await trial.refusal("control_relay", on);
    expect(refused).toMatchObject(expected);
    expect(refused).toMatchObject({ error: expect.any(String) as unknown, message: expect.any(String) as unknown });
  });

  const about: [string, object][] = [
    ["channel", { channel: 7 }],
    ["channel, said as text", { channel: "7" }],
    ["channel that is none", { channel: "pump" }],
    ["device", { equipment_id: 2 }],
    ["device, in the other spelling", { equipmentId: 2 }],
    ["state that is none", { state: "perhaps" }],
  ];
  test.each(about)("a core that confirms another %s has confirmed nothing", async (_what, said) => {
    await trial.bridge.start(new AbortController().signal);
    const body = { success: true, channel: 1, state: true, confirmed: true, ...said };
    core.trouble(CONTROL, (response) => send(response, 200, body));
    const refused = await trial.refusal("control_relay", on);
    expect(refused).toMatchObject({ status: 502, retryable: true, details: { receipt: { stage: "unknown" } } });
    expect(refused["message"]).toContain("Channel 1 of equipment 1");
  });

  test("a core that says about its success what it was asked, in any spelling, is believed", async () => {
    const body = { success: 1, channel: "1", state: 1, equipment_id: "1", confirmed: 1 };
    core.trouble(CONTROL, (response) => send(response, 200, body));
    expect((await trial.answer("control_relay", on)).structured).toMatchObject({
      channel: 1,
      state: true,
      confirmed: true,
      receipt: { stage: "acknowledged" },
    });
  });

  test("a write-only board is a success that nobody has confirmed", async () => {
    core.trouble(CONTROL, (response) =>
      send(response, 200, { success: true, channel: 1, state: true, writeOnly: true, confirmed: false }),
    );
    expect((await trial.answer("control_relay", on)).structured).toMatchObject({
      success: true,
      writeOnly: true,
      confirmed: false,
    });
  });

  test("a core that cannot be connected to leaves the key free for another try", async () => {
    await trial.answer("get_automations");
    await core.close();
    const keyed = { ...on, idempotency_key: "once" };
    expect(await trial.refusal("control_relay", keyed)).toMatchObject({ status: 503, retryable: true });
    await core.reopen();
    expect((await trial.answer("control_relay", keyed)).structured).toMatchObject({ confirmed: true });
  });

  test("a command whose answer is lost is unknown, and its key never sends it twice", async () => {
    let times = 0;
    core.trouble(CONTROL, (response) => {
      times += 1;
      response.destroy();
    });
    const keyed = { ...on, idempotency_key: "once" };
    const lost = await trial.refusal("control_relay", keyed);
    expect(lost).toMatchObject({ status: 503, details: { receipt: { stage: "unknown" } } });
    await trial.refusal("control_relay", keyed);
    expect(times).toBe(1);
  });

  // @proves farm.tool.within-9-s
  test("a core that never answers a command is 504 before nine seconds are over", async () => {
    await trial.answer("get_automations");
    const asked = new Promise<void>((resolve) => core.trouble(CONTROL, () => resolve()));
    const refused = trial.refusal("control_relay", on);
    await asked;
    await clock.advance(seconds(8.9));
    expect(await refused).toMatchObject({ status: 504, retryable: true });
  });
});

describe("automations", () => {
  test("a toggle turns, tells the state and the name", async () => {
    await trial.bridge.start(new AbortController().signal);
    const { structured } = await trial.answer("toggle_automation", { automation_id: 5 });
    expect(structured).toMatchObject({ enabled: false, id: 5, name: "Water" });
    expect(core.automations[0]).toMatchObject({ enabled: 0 });
  });

  test("a state that was asked for is the state it has afterwards, also at a core that can only turn", async () => {
    for (const enabled of [true, true, false, false, true]) {
      const { structured } = await trial.answer("toggle_automation", { automation_id: 5, enabled });
      expect(structured["enabled"]).toBe(enabled);
      expect(core.automations[0]).toMatchObject({ enabled: Number(enabled) });
    }
  });

  test("a trigger tells what the core carried out, and a failed one is the core's failure", async () => {
    const { structured } = await trial.answer("trigger_automation", { automation_id: 5 });
    expect(structured).toMatchObject({ success: true, automation_id: 5, executed_actions: [], run_count: 3 });
    core.trouble("/api/automations/5/trigger", (response) => send(response, 500, { error: "Execution failed" }));
    expect(await trial.refusal("trigger_automation", { automation_id: 5 })).toMatchObject({ status: 502 });
    expect(await trial.refusal("trigger_automation", { automation_id: 6 })).toMatchObject({ status: 404 });
  });

  test("a core that answers about another automation has not said what became of this one", async () => {
    const other = { success: true, id: 6, automation_id: 6, enabled: false, executed_actions: [] };
    for (const [tool, path] of [
      ["trigger_automation", "trigger"],
      ["toggle_automation", "toggle"],
    ] as const) {
      core.trouble(`/api/automations/5/${path}`, (response) => send(response, 200, other));
      expect(await trial.refusal(tool, { automation_id: 5 })).toMatchObject({
        status: 502,
        code: "CORE_GARBLED",
        details: { receipt: { stage: "unknown" } },
      });
    }
  });
});
