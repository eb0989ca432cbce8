import { describe, expect, test } from "vitest";
import { millis, seconds } from "./duration.ts";
import type { Interlock } from "./interlock.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

const refusal = (until?: number) => ({
  code: "RESTING",
  message: "It must rest.",
  retryable: true,
  ...(until === undefined ? {} : { until }),
});
const objects = (overrides: Partial<Interlock> = {}): Interlock => ({
  name: "rest",
  applies: () => true,
  check: () => refusal(),
  ...overrides,
});

describe("in the lane", () => {
  // @proves kernel.door.lane-one-at-a-time kernel.door.lane-per-target
  test("effects on one target take turns and those on others do not wait", async () => {
    const trial = createTrialDoor();
    const first = createTrialRelay(trial, "relay-1");
    const second = createTrialRelay(trial, "relay-2");
    first.delay = seconds(1);
    const all = [trial.door.perform(first.effect(true)), trial.door.perform(first.effect(true))];
    const other = await trial.door.perform(second.effect(true));
    expect(other.receipt.stage).toBe("observed");
    await trial.clock.advance(seconds(3));
    await Promise.all(all);
    expect(first.together).toBe(1);
    expect(first.events).toEqual(["on:start", "on:done", "read", "on:start", "on:done", "read"]);
  });

  // @proves kernel.door.lane-before-interlocks kernel.interlock.checked-on-fresh-state kernel.door.interlocks-before-reservation
  test("interlocks are asked when the turn has come, and a refusal leaves no reservation", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(objects({ check: () => (relay.on ? refusal(Date.UTC(2026, 5, 1)) : undefined) }));
    relay.delay = seconds(1);
    const first = trial.door.perform(relay.effect(true));
    const second = trial.door.perform(relay.effect(true));
    const refused = expect(second).rejects.toMatchObject({
      code: "RESTING",
      retryable: true,
      details: { interlock: "rest", until: "2026-06-01T00:00:00.000Z" },
    });
    await trial.clock.advance(seconds(2));
    expect((await first).receipt.stage).toBe("observed");
    await refused;
    expect(relay.sends).toBe(1);
    expect(trial.door.actions()).toHaveLength(1);
    expect(trial.ledger.records("audit")).toHaveLength(2);
  });

  // @proves kernel.interlock.checked-for-every-caller kernel.interlock.declared-once
  test("an interlock refuses every caller alike", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(objects());
    for (const transport of ["http", "stdio", "socket", "rest", "cli", "console", "internal"] as const) {
      const effect = relay.effect(true, { caller: trialCaller({ transport, role: "admin" }) });
      await expect(trial.door.perform(effect)).rejects.toMatchObject({ code: "RESTING" });
    }
    expect(relay.sends).toBe(0);
  });

  // @proves kernel.door.safe-ignores-minimum-times kernel.door.safe-ignores-rate-limits
  test("an interlock is told about an effect towards safe and cannot stop it", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const heard: string[] = [];
    trial.door.registerInterlock(
      objects({
        check: () => {
          heard.push("check");
          return refusal();
        },
        admitted: () => void heard.push("admitted"),
        sent: () => void heard.push("sent"),
        ended: (_effect, stage) => void heard.push(`ended ${stage}`),
      }),
    );
    await trial.door.perform(relay.effect(false));
    expect(heard).toEqual(["admitted", "sent", "ended observed"]);
  });

  test("an interlock that fails stops live effects and lets safe ones pass", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(
      objects({
        applies() {
          throw new Error("broken rule");
        },
      }),
    );
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "INTERNAL" });
    expect((await trial.door.perform(relay.effect(false))).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.safe-overtakes-lane
  test("towards safe overtakes what waits and cuts short the observation of what runs", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "lies";
    const observing = trial.door.perform(relay.effect(true, { observeDeadline: seconds(60) }));
    await trial.clock.advance(millis(250));
    relay.mood = "obeys";
    const waiting = trial.door.perform(relay.effect(true, { key: "on" }));
    const elsewhere = trial.door.perform(relay.effect(true, { things: ["another contact"] }));
    const off = trial.door.perform(relay.effect(false));
    // Asked before the OFF, so it must not come after it; nothing of it is on record, and its key is free.
    await expect(waiting).rejects.toMatchObject({ code: "SUPERSEDED", details: { sent: false } });
    await Promise.all([observing, off, elsewhere]);
    expect(await observing).toMatchObject({ receipt: { stage: "unknown" }, error: { code: "SUPERSEDED" } });
    expect((await off).receipt.stage).toBe("observed");
    expect(relay.events.filter((each) => each.endsWith("start"))).toEqual(["on:start", "off:start", "on:start"]);
    expect(trial.door.counters.lanes).toMatchObject({ cut: 1, overtaken: 1, superseded: 1 });
    expect((await trial.door.perform(relay.effect(true, { key: "on" }))).replayed).not.toBe(true);
  });

  // @proves kernel.door.safe-overtakes-lane
  test("a second look at an old OFF holds up neither a fresh OFF nor a live effect", async () => {
    for (const on of [false, true]) {
      const trial = createTrialDoor();
      const relay = createTrialRelay(trial);
      relay.on = true;
      relay.mood = "breaks";
      const lost = await trial.door.perform(relay.effect(false, { key: "k" }));
      relay.mood = "obeys";
      const looking = trial.door.perform(relay.effect(false, { key: "k" }));
      await trial.clock.advance(millis(250));
      const fresh = await trial.door.perform(relay.effect(on));
      expect(fresh.receipt.stage).toBe("observed");
      expect(trial.clock.monotonic()).toBe(250);
      expect(await looking).toEqual({ ...lost, replayed: true });
      expect(trial.door.counters.lanes).toMatchObject({ cut: 1, lanes: 0, waiting: 0 });
    }
  });

  test("a second look waits for a live effect and leaves its observation alone", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.on = true;
    relay.mood = "breaks";
    await trial.door.perform(relay.effect(false, { key: "k" }));
    relay.on = false;
    relay.mood = "lies";
    const on = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(250));
    const looking = trial.door.perform(relay.effect(false, { key: "k" }));
    relay.on = true; // late, but in time
    await trial.clock.advance(seconds(1));
    expect((await on).receipt.stage).toBe("observed");
    relay.on = false;
    await trial.clock.advance(seconds(1));
    // Another action came in between, so that what is there now proves nothing about this one.
    expect((await looking).receipt.stage).toBe("unknown");
  });

  test("whoever leaves while a second look waits is not told that nothing was sent", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    await trial.door.perform(relay.effect(true, { key: "k" }));
    relay.mood = "obeys";
    relay.delay = seconds(1);
    const busy = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(10));
    const leaving = new AbortController();
    const looking = trial.door.perform(relay.effect(true, { key: "k" }), { signal: leaving.signal });
    const gone = expect(looking).rejects.toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled; what became of the action is not known.",
    });
    await trial.clock.advance(millis(10));
    leaving.abort();
    await gone;
    const late = trial.door.perform(relay.effect(true, { key: "k" }), { signal: leaving.signal });
    await expect(late).rejects.toMatchObject({
      message: "The call was cancelled; what became of the action is not known.",
    });
    await trial.clock.advance(seconds(2));
    await busy;
  });

  // @proves kernel.receipt.stores-before
  test("what was before is asked when the turn has come, not when the call came", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const on = trial.door.perform(relay.effect(true, { before: () => relay.on }));
    const second = trial.door.perform(relay.effect(true, { before: () => relay.on }));
    const blind = () => {
      throw new Error("no idea");
    };
    const third = trial.door.perform(relay.effect(true, { before: blind }));
    await trial.clock.advance(seconds(5));
    expect([(await on).before, (await second).before, (await third).before]).toEqual([false, true, undefined]);
    expect((await third).receipt.stage).toBe("observed");
  });

  test("towards safe never cuts a sending", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const on = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(500));
    const off = trial.door.perform(relay.effect(false));
    await trial.clock.advance(seconds(3));
    expect(await on).toMatchObject({
      receipt: { stage: "unknown" },
      error: { code: "SUPERSEDED" },
      acknowledgement: true,
    });
    expect((await off).receipt.stage).toBe("observed");
    expect(relay.events).toEqual(["on:start", "on:done", "off:start", "off:done", "read"]);
  });

  test("a full lane refuses live effects for the time being, never safe ones", async () => {
    const trial = createTrialDoor({ limits: { liveWaiting: 2 } });
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const taken = [1, 2, 3].map(() => trial.door.perform(relay.effect(true)));
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "LANE_BUSY", retryable: true });
    const off = trial.door.perform(relay.effect(false));
    const ended = Promise.allSettled(taken);
    await trial.clock.advance(seconds(10));
    expect((await off).receipt.stage).toBe("observed");
    expect((await ended).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(trial.door.counters.lanes).toMatchObject({ refused: 1, superseded: 2 });
  });

  test("a caller that goes away while waiting is let go, one that goes away later changes nothing", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const leaving = new AbortController();
    const running = trial.door.perform(relay.effect(true), { signal: leaving.signal });
    const waiting = trial.door.perform(relay.effect(true), { signal: leaving.signal });
    const refused = expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    await trial.clock.advance(millis(10));
    leaving.abort();
    await refused;
    await trial.clock.advance(seconds(2));
    expect((await running).receipt.stage).toBe("observed");
    expect(relay.sends).toBe(1);
    expect(trial.door.actions()).toHaveLength(1);
    await expect(trial.door.perform(relay.effect(true), { signal: leaving.signal })).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });

  test("a live effect that waited is refused when the hub became read-only meanwhile", async () => {
    let access: "read" | "write" = "write";
    const trial = createTrialDoor({ access: () => access });
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const running = trial.door.perform(relay.effect(true));
    const refused = expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "SERVER_READ_ONLY" });
    await trial.clock.advance(millis(10));
    access = "read";
    await trial.clock.advance(seconds(2));
    await running;
    await refused;
    expect(relay.sends).toBe(1);
  });

  test("a caller that goes away does not stop what makes things safe", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const leaving = new AbortController();
    const on = trial.door.perform(relay.effect(true));
    const off = trial.door.perform(relay.effect(false), { signal: leaving.signal });
    await trial.clock.advance(millis(10));
    leaving.abort();
    await trial.clock.advance(seconds(5));
    await on;
    expect((await off).receipt.stage).toBe("observed");
    const late = trial.door.perform(relay.effect(false), { signal: leaving.signal });
    await trial.clock.advance(seconds(5));
    expect((await late).receipt.stage).toBe("observed");
  });
});
