import { describe, expect, test } from "vitest";
import { days, millis, seconds } from "./duration.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger, MEMORY_LEDGER_LIMITS } from "./memory-ledger.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialRelay } from "./testing/index.ts";

describe("when the store fails", () => {
  const full = () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock });
    let broken: string | undefined = "STORE_FULL";
    return {
      clock,
      repair: () => (broken = undefined),
      ledger: {
        ...ledger,
        async commit(asked: Parameters<typeof ledger.commit>[0]) {
          if (broken !== undefined) throw new SteadingError(broken, "No room.");
          return ledger.commit(asked);
        },
      },
    };
  };

  test("a live effect is not sent", async () => {
    const { ledger, clock, repair } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { key: "k" }))).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(relay.sends).toBe(0);
    repair();
    expect((await trial.door.perform(relay.effect(true, { key: "k" }))).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.safe-ignores-full-disk kernel.error.swallowed-is-logged-and-counted
  test("one towards safe is sent all the same, counted and logged", async () => {
    const { ledger, clock } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    relay.on = true;
    const performing = trial.door.perform(relay.effect(false));
    await trial.clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("observed");
    expect(relay.on).toBe(false);
    expect(trial.door.counters.ledger).toEqual({ unrecordedReservations: 1, unrecordedOutcomes: 1 });
    expect(trial.logged.filter(({ level }) => level === "error")).toHaveLength(2);
  });

  test("one towards safe is written from the reserve", async () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock, limits: { ...MEMORY_LEDGER_LIMITS, audit: 0 } });
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "STORE_FULL" });
    expect((await trial.door.perform(relay.effect(false))).receipt.stage).toBe("observed");
    expect(trial.door.counters.ledger).toEqual({ unrecordedReservations: 0, unrecordedOutcomes: 0 });
    expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["effect.reserved", "effect.ended"]);
  });

  test("one towards safe that could not be reserved is recorded whole with its outcome", async () => {
    const { ledger, clock, repair } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const performing = trial.door.perform(relay.effect(false));
    await trial.clock.advance(millis(500));
    repair();
    await trial.clock.advance(seconds(1));
    const { receipt } = await performing;
    expect(trial.door.action(receipt.action)).toMatchObject({ receipt: { stage: "observed" } });
    expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["effect.reserved", "effect.ended"]);
  });

  test("one towards safe does not wait for a disk that hangs", async () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock, latency: seconds(60) });
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    const performing = trial.door.perform(relay.effect(false));
    await clock.advance(seconds(1));
    expect(relay.sends).toBe(1);
    await clock.advance(seconds(120));
    expect((await performing).receipt.stage).toBe("observed");
    expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["effect.reserved", "effect.ended"]);
  });

  test("an outcome that meets a full disk is written from the reserve", async () => {
    const clock = createManualClock();
    const memory = createMemoryLedger({ clock });
    let commits = 0;
    const ledger = {
      ...memory,
      async commit(asked: Parameters<typeof memory.commit>[0]) {
        commits += 1;
        if (commits > 1 && asked.reserve !== true) throw new SteadingError("STORE_FULL", "No room.");
        return memory.commit(asked);
      },
    };
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    const performing = trial.door.perform(relay.effect(true));
    await clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("observed");
    expect(trial.door.actions()).toMatchObject([{ receipt: { stage: "observed" } }]);
    expect(trial.door.counters.ledger.unrecordedOutcomes).toBe(0);
  });
});

describe("what is kept", () => {
  test("secrets in the arguments are neither in the action nor in the audit", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await trial.door.perform(relay.effect(true, { arguments: { on: true, password: "hunter2" } }));
    expect(JSON.stringify([trial.door.actions(), trial.ledger.records("audit")])).not.toContain("hunter2");
  });

  test("actions are listed newest first, bounded, and those in doubt by themselves", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const first = await trial.door.perform(relay.effect(true));
    relay.mood = "breaks";
    const lost = await trial.door.perform(relay.effect(true));
    relay.mood = "obeys";
    const last = await trial.door.perform(relay.effect(true));
    const ids = (filter?: Parameters<typeof trial.door.actions>[0]) => trial.door.actions(filter).map(({ id }) => id);
    expect(ids()).toEqual([last, lost, first].map(({ receipt }) => receipt.action));
    expect(ids({ limit: 1 })).toEqual([last.receipt.action]);
    expect(ids({ inDoubt: true })).toEqual([lost.receipt.action]);
    expect(trial.door.action("nothing")).toBeUndefined();
  });

  test("an action that is under way shows as requested", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const performing = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions()).toMatchObject([{ outcome: undefined, receipt: { stage: "requested" } }]);
    await trial.clock.advance(seconds(1));
    await performing;
  });

  // @proves kernel.bounds.everything-has-a-limit kernel.bounds.drops-are-counted
  test("finished actions are swept by number and age, those in doubt stay", async () => {
    const trial = createTrialDoor({ limits: { actions: { kept: 5, age: days(7), inDoubt: 100 } } });
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    const lost = await trial.door.perform(relay.effect(true));
    relay.mood = "obeys";
    for (let i = 0; i < 12; i += 1) await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions().map(({ id }) => id)).toContain(lost.receipt.action);
    expect(trial.door.actions().length).toBeLessThanOrEqual(7);
    expect(trial.door.counters.swept).toMatchObject({ doubtful: 0, failed: 0 });
    expect(trial.door.counters.swept.actions).toBeGreaterThanOrEqual(6);
    await trial.clock.advance(days(8));
    await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions()).toHaveLength(2);
  });

  test("too many in doubt are let go of aloud", async () => {
    const trial = createTrialDoor({ limits: { actions: { kept: 5, age: days(7), inDoubt: 2 } } });
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    for (let i = 0; i < 4; i += 1) await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions({ inDoubt: true }).length).toBeLessThanOrEqual(3);
    expect(trial.door.counters.swept.doubtful).toBeGreaterThan(0);
    expect(trial.ledger.records("audit").some(({ kind }) => kind === "effect.forgotten")).toBe(true);
    expect(trial.logged.some(({ level }) => level === "warn")).toBe(true);
  });

  test("mistakes in the wiring are told at once", () => {
    const trial = createTrialDoor();
    createTrialRelay(trial);
    expect(() => createTrialRelay(trial)).toThrow(/two observers/);
    const rule = { name: "rest", applies: () => true, check: () => undefined };
    trial.door.registerInterlock(rule);
    expect(() => trial.door.registerInterlock(rule)).toThrow(/two interlocks/);
  });

  test("a live effect whose observer is missing is refused before anything happens", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { observer: "ghost" }))).rejects.toMatchObject({
      code: "OBSERVER_UNKNOWN",
    });
    const off = trial.door.perform(relay.effect(false, { observer: "ghost" }));
    expect((await off).receipt.stage).toBe("unknown");
    expect(relay.sends).toBe(1);
  });

  test("arguments that JSON cannot carry are refused", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { arguments: { text: "\uD800" } }))).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});
