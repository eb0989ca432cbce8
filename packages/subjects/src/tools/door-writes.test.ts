import { createDispatcher, millis, seconds, type AskedEffect, type Role } from "@steading/kernel";
import { createTrialDoor, createTrialLog, createTrialRelay, type RelayMood } from "@steading/kernel/testing";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import { state } from "../paths/path-providers.ts";
import type { Source, SourceContext } from "../sources/source.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { callerOf, callTool } from "./testing/call-tool.ts";

const Lamp = defineSubject("test.Lamp", { props: { on: p.boolean().writable() } });

/** A lamp behind the real door: its relay can be told to misbehave. */
async function openLamp({
  mood = "obeys",
  access = "write",
  readBack = true,
}: { mood?: RelayMood; access?: "read" | "write"; readBack?: boolean } = {}) {
  const trial = createTrialDoor({ access: () => access });
  const relay = createTrialRelay(trial);
  const lamp = Lamp.create({ on: false });
  const graph = createGraph({ clock: trial.clock, log: createTrialLog().log });
  const seenInModel: unknown[] = [];
  let house: SourceContext | undefined;
  trial.door.registerObserver("lamp", ({ on }) => ({
    async read() {
      seenInModel.push(lamp.on);
      const arrival = trial.reception.received(relay.on);
      house?.write([{ subject: lamp, property: "on", value: relay.on, at: arrival.at }]);
      return arrival;
    },
    satisfies: (value) => value === on,
  }));
  const source: Source = {
    async start(context) {
      house = context;
      context.attach("", "lamp", lamp);
      context.claim(lamp, ["on"]);
    },
    load: async () => [{ subject: lamp, property: "on", value: relay.on }],
    effectFor({ value }): AskedEffect {
      const {
        tool: _tool,
        caller: _caller,
        confirm: _confirm,
        minimumRole: _role,
        ...effect
      } = relay.effect(value === true);
      return { ...effect, observer: "lamp", ...(readBack ? {} : { observeDeadline: millis(0) }) };
    },
    async stop() {},
  };
  const handle = graph.addSource("house", source, { mount: "/house" });
  await handle.start();
  relay.mood = mood;
  const tools = createSubjectTools(graph, (config) => {
    config.pathProvider = state();
    config.access = access;
  });
  const dispatcher = createDispatcher({
    toolsets: [tools, tools.extras],
    door: trial.door,
    clock: trial.clock,
    log: createTrialLog().log,
  });
  /** Lets the manual clock run until the call is answered. */
  async function answered(tool: string, args: object, role: Role = "operator"): Promise<Record<string, unknown>> {
    let done = false;
    const call = dispatcher.call({ tool, arguments: args, caller: callerOf(role) });
    void call.finally(() => (done = true));
    for (let turn = 0; turn < 200; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (done) break;
      if (turn > 20) await trial.clock.advance(seconds(1));
    }
    const result = await call;
    if (result.kind === "unknown-tool") throw new Error("unknown tool");
    return JSON.parse(result.text) as Record<string, unknown>;
  }
  const set = (value: unknown, extra: object = {}, role?: Role) =>
    answered("set_property", { path: "/house/lamp/on", value, ...extra }, role);
  const setSeveral = (value: unknown) => answered("set_properties", { writes: [{ path: "/house/lamp/on", value }] });
  const get = () => callTool(tools, "get_property", { path: "/house/lamp/on" });
  return { lamp, relay, set, setSeveral, get, handle, house: () => house, seenInModel, ...trial };
}

describe("writing what a device owns", () => {
  // @proves subjects.set-property.status-confirmed subjects.set-property.receipt subjects.set-property.door-readback
  test("a write that is read back is confirmed, and the model changes by the read-back alone", async () => {
    const { set, lamp, relay, seenInModel } = await openLamp();
    expect(await set(true)).toEqual({
      success: true,
      previousValue: false,
      value: true,
      status: "confirmed",
      receipt: { action: expect.any(String), stage: "observed", at: expect.stringMatching(/Z$/), observed: true },
    });
    expect(seenInModel[0]).toBe(false);
    expect([lamp.on, relay.on]).toEqual([true, true]);
  });

  test("off is sent although the model says off already, alone or in a transaction: only the device knows", async () => {
    const { setSeveral, set, relay } = await openLamp();
    relay.on = true; // switched by hand, and not looked at since
    expect(await setSeveral(false)).toMatchObject({ success: true });
    expect(relay.on).toBe(false);
    relay.on = true;
    expect(await set(false)).toMatchObject({ status: "confirmed" });
    expect(relay.on).toBe(false);
  });

  test("off reaches the door while the source is thought to be away, on does not", async () => {
    const { set, relay, house, handle } = await openLamp();
    relay.on = true;
    house()?.disconnected(new Error("cable"));
    expect(handle.available).toBe(false);
    expect(await set(true)).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(await set(false)).toMatchObject({ success: true });
    expect(relay.on).toBe(false);
  });

  // @proves subjects.set-property.status-acknowledged
  test("a device without read-back gives acknowledged, and the model keeps what was last reported", async () => {
    const { set, lamp } = await openLamp({ readBack: false });
    expect(await set(true)).toMatchObject({
      success: true,
      status: "acknowledged",
      receipt: { stage: "acknowledged" },
    });
    expect(lamp.on).toBe(false);
  });

  // @proves subjects.set-property.unanswered subjects.error.timeout subjects.set-property.failure-leaves-model
  test.each<RelayMood>(["lies", "breaks", "hangs"])(
    "a relay that %s leaves the outcome unknown: TIMEOUT with the receipt, never success",
    async (mood) => {
      const { set, lamp } = await openLamp({ mood });
      const answer = await set(true);
      expect(answer).toMatchObject({ code: "TIMEOUT", receipt: { action: expect.any(String), stage: "unknown" } });
      expect(answer).not.toHaveProperty("success");
      expect(lamp.on).toBe(false);
    },
  );

  // @proves subjects.error.source-rejected
  test("a device that refuses is SOURCE_REJECTED", async () => {
    const { set, lamp } = await openLamp({ mood: "refuses" });
    expect(await set(true)).toMatchObject({
      code: "SOURCE_REJECTED",
      receipt: { stage: "failed" },
      reason: "RELAY_REFUSED",
    });
    expect(lamp.on).toBe(false);
  });

  // @proves subjects.row.s9 subjects.error.source-unavailable
  test("S9: a source that is offline is SOURCE_UNAVAILABLE and the model is unchanged", async () => {
    const unreachable = await openLamp({ mood: "unreachable" });
    expect(await unreachable.set(true)).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(unreachable.lamp.on).toBe(false);
    const stopped = await openLamp();
    await stopped.handle.stop();
    expect(await stopped.set(true)).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect([stopped.lamp.on, stopped.relay.sends]).toEqual([false, 0]);
  });

  // @proves subjects.access.safe-passes subjects.access.read-mode
  test("with access read, ON is refused even for an admin, and OFF passes", async () => {
    const { set, relay, lamp, house } = await openLamp({ access: "read" });
    expect(await set(true, {}, "admin")).toMatchObject({ code: "SERVER_READ_ONLY" });
    expect(relay.sends).toBe(0);
    relay.on = true;
    house()?.write([{ subject: lamp, property: "on", value: true }]);
    expect(await set("false")).toMatchObject({ success: true, value: false, status: "confirmed" });
    expect(await set(false, {}, "viewer")).toMatchObject({ code: "ACCESS_DENIED" });
  });

  // @proves subjects.get-property.time-format subjects.get-property.extras subjects.get-property.model-only
  test("what a source reported is read with its source and time, and the device is not asked", async () => {
    const { get, relay, house, lamp } = await openLamp();
    house()?.write([{ subject: lamp, property: "on", value: true }]);
    const answer = await get();
    expect(answer).toMatchObject({ value: true, source: "house", isWritable: true });
    expect(answer["changedAt"]).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(relay.events).toEqual([]);
  });

  test("writing the present value is sent: only the device knows what is true", async () => {
    const { set, relay } = await openLamp();
    expect(await set(false)).toMatchObject({ success: true, previousValue: false, value: false, status: "confirmed" });
    expect(relay.sends).toBe(1);
  });

  test("the same key again answers the same and sends nothing; another value under it is CONFLICT", async () => {
    const { set, relay } = await openLamp();
    const first = await set(true, { idempotency_key: "k1" });
    expect(await set(true, { idempotency_key: "k1" })).toEqual(first);
    expect(relay.sends).toBe(1);
    expect(await set(false, { idempotency_key: "k1" })).toMatchObject({ code: "CONFLICT" });
  });

  test("a value that does not fit is refused before the door is asked", async () => {
    const { set, relay } = await openLamp();
    expect(await set("on")).toMatchObject({ code: "TYPE_MISMATCH", expected: { type: "boolean" } });
    expect(relay.sends).toBe(0);
  });

  test("several writes in one go through the door one by one, and their receipts come along", async () => {
    const obeying = await openLamp();
    expect(await obeying.setSeveral(true)).toMatchObject({
      success: true,
      results: [{ path: "/house/lamp/on", previousValue: false, value: true }],
      receipts: [{ stage: "observed" }],
    });
    const refusing = await openLamp({ mood: "refuses" });
    expect(await refusing.setSeveral(true)).toMatchObject({ code: "SOURCE_REJECTED", receipts: [{ stage: "failed" }] });
    const lying = await openLamp({ mood: "lies" });
    expect(await lying.setSeveral(true)).toMatchObject({ code: "TIMEOUT", receipts: [{ stage: "unknown" }] });
    expect(lying.lamp.on).toBe(false);
  });
});
