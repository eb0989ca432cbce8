import { describe, expect, test } from "vitest";
import { hours, millis, seconds } from "./duration.ts";
import type { Effect } from "./effect.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

function setUp(given: Parameters<typeof createTrialDoor>[0] = {}) {
  const trial = createTrialDoor(given);
  const relay = createTrialRelay(trial);
  const perform = (over: Partial<Effect> = {}) => trial.door.perform(relay.effect(true, { key: "k", ...over }));
  return { ...trial, relay, perform };
}

describe("a key", () => {
  // @proves kernel.door.key-known-replays-answer
  test("of a finished action gives its answer again and sends nothing", async () => {
    const { perform, relay } = setUp();
    const first = await perform();
    const again = await perform();
    expect(again).toEqual({ ...first, replayed: true });
    expect(first).not.toHaveProperty("replayed");
    expect(relay.sends).toBe(1);
  });

  // @proves kernel.door.key-running-waits
  test("of a running action waits for it", async () => {
    const { perform, relay, clock } = setUp();
    relay.delay = seconds(1);
    const first = perform();
    const second = perform();
    await clock.advance(seconds(2));
    expect(await second).toEqual({ ...(await first), replayed: true });
    expect(relay.sends).toBe(1);
  });

  test("of a running action that fails before its first byte gives the same error", async () => {
    const { perform, relay, clock } = setUp();
    const drive = {
      async send(): Promise<null> {
        await clock.sleep(seconds(1));
        throw new SteadingError("LINE_DOWN", "The line is down.");
      },
    };
    const both = [perform({ drive }), perform()].map((each) =>
      expect(each).rejects.toMatchObject({ code: "LINE_DOWN" }),
    );
    await clock.advance(seconds(1));
    await Promise.all(both);
    expect(relay.sends).toBe(0);
  });

  test("whose holder goes away before anything is on record passes to the next", async () => {
    const { door, relay, clock, perform } = setUp();
    relay.delay = seconds(1);
    const other = door.perform(relay.effect(true));
    const leaving = new AbortController();
    const first = door.perform(relay.effect(true, { key: "k" }), { signal: leaving.signal });
    const gone = expect(first).rejects.toMatchObject({ code: "CANCELLED" });
    const second = perform();
    await clock.advance(millis(10));
    leaving.abort();
    await gone;
    await clock.advance(seconds(5));
    await other;
    expect(await second).toMatchObject({ receipt: { stage: "observed" } });
    expect(await second).not.toHaveProperty("replayed");
    expect(relay.sends).toBe(2);
  });

  test("can be waited for no longer than the caller likes", async () => {
    const { door, relay, clock, perform } = setUp();
    relay.delay = seconds(1);
    const first = perform();
    const leaving = new AbortController();
    const second = door.perform(relay.effect(true, { key: "k" }), { signal: leaving.signal });
    const gone = expect(second).rejects.toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled; an earlier one with the same key goes on.",
    });
    await clock.advance(millis(10));
    leaving.abort();
    await gone;
    await clock.advance(seconds(2));
    expect((await first).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.key-conflict-stops kernel.door.key-other-arguments-ebus-conflict
  test("with other arguments is a conflict, while it runs and afterwards", async () => {
    const { perform, relay, clock } = setUp();
    relay.delay = seconds(1);
    const first = perform();
    await expect(perform({ arguments: { other: 1 } })).rejects.toMatchObject({ code: "CONFLICT" });
    await clock.advance(seconds(2));
    await first;
    await expect(perform({ arguments: { other: 1 } })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(relay.sends).toBe(1);
  });

  // @proves kernel.door.key-other-arguments-per-toolset kernel.door.key-other-arguments-orchestrator-separate
  test("with other arguments runs by itself where the contract wants that", async () => {
    const { perform, relay } = setUp();
    await perform({ sameKey: "separate" });
    const other = await perform({ sameKey: "separate", arguments: { other: 1 } });
    expect(other).not.toHaveProperty("replayed");
    expect((await perform({ sameKey: "separate" })).replayed).toBe(true);
    expect(relay.sends).toBe(2);
  });

  // @proves kernel.door.key-scoped-to-principal kernel.door.key-scoped-to-tool
  test("belongs to one principal and one tool", async () => {
    const { perform, relay } = setUp();
    await perform();
    await perform({ caller: trialCaller({ principal: "ben" }) });
    await perform({ tool: "other_tool" });
    await perform({ caller: trialCaller({ principal: "anna\u0000", correlation: "x" }) });
    expect(relay.sends).toBe(4);
    expect((await perform({ caller: trialCaller({ transport: "cli", correlation: "y" }) })).replayed).toBe(true);
  });

  // @proves kernel.door.validate-before-key
  test("is not touched by arguments that make no sense", async () => {
    const { perform, relay, door } = setUp();
    const nonsense = () => {
      throw new SteadingError("NONSENSE", "No.");
    };
    await expect(perform({ validate: nonsense })).rejects.toMatchObject({ code: "NONSENSE" });
    await perform();
    await expect(perform({ validate: nonsense })).rejects.toMatchObject({ code: "NONSENSE" });
    expect(relay.sends).toBe(1);
    expect(door.actions()).toHaveLength(1);
  });

  // @proves kernel.door.key-freed-before-first-byte
  test("is free again when nothing left the hub", async () => {
    const { perform, relay } = setUp();
    relay.mood = "unreachable";
    await expect(perform()).rejects.toMatchObject({ code: "LINE_DOWN" });
    relay.mood = "obeys";
    expect(await perform({ arguments: { other: 1 } })).toMatchObject({ receipt: { stage: "observed" } });
    expect(relay.sends).toBe(1);
  });

  // @proves kernel.door.key-kept-after-first-byte kernel.door.key-repeat-observes
  test("of an unknown outcome looks again, sends nothing, and keeps the better answer", async () => {
    const { perform, relay, clock, door } = setUp();
    relay.mood = "breaks";
    const lost = await perform();
    expect(lost.receipt.stage).toBe("unknown");
    const again = perform();
    await clock.advance(seconds(5));
    expect(await again).toEqual({ ...lost, replayed: true });
    expect(door.actions({ inDoubt: true })).toHaveLength(1);
    relay.on = true;
    const seen = await perform();
    expect(seen).toMatchObject({
      receipt: { action: lost.receipt.action, stage: "observed", observed: true },
      replayed: true,
    });
    expect(seen).not.toHaveProperty("error");
    expect(door.actions({ inDoubt: true })).toHaveLength(0);
    const reads = relay.events.length;
    expect((await perform()).receipt).toEqual(seen.receipt);
    expect(relay.events).toHaveLength(reads);
    expect(relay.sends).toBe(1);
  });

  test("of a refused action stays with the refusal", async () => {
    const { perform, relay } = setUp();
    relay.mood = "refuses";
    const first = await perform();
    expect(await perform()).toEqual({ ...first, replayed: true });
    expect(relay.sends).toBe(1);
  });

  // @proves kernel.door.key-ttl-per-toolset
  test("is remembered for a day, or as long as its effect says, and in doubt as long as its action is kept", async () => {
    const { perform, relay, clock } = setUp();
    await perform();
    await perform({ key: "short", keyTtl: seconds(10) });
    relay.mood = "breaks";
    await perform({ key: "lost" });
    relay.mood = "obeys";
    await clock.advance(seconds(11));
    expect((await perform()).replayed).toBe(true);
    expect(await perform({ key: "short", keyTtl: seconds(10) })).not.toHaveProperty("replayed");
    await clock.advance(hours(25));
    expect(await perform()).not.toHaveProperty("replayed");
    relay.on = false;
    const again = perform({ key: "lost" });
    await clock.advance(seconds(5));
    expect(await again).toMatchObject({ replayed: true, receipt: { stage: "unknown" } });
    expect(relay.sends).toBe(5);
  });

  test("is let go of when its principal has too many, the oldest first, never one in doubt", async () => {
    const { perform, relay, ledger, door } = setUp({
      limits: { keysPerPrincipal: 5, actions: { kept: 10, age: hours(1), inDoubt: 10 } },
    });
    relay.mood = "breaks";
    await perform({ key: "lost" });
    relay.mood = "obeys";
    for (let i = 0; i < 9; i += 1) await perform({ key: `k${i}` });
    await perform({ key: "bens", caller: trialCaller({ principal: "ben" }) });
    await Promise.resolve();
    const held = ledger.list("keys").length;
    expect(held).toBeLessThanOrEqual(7);
    expect(door.counters.swept.keys).toBe(11 - held);
    expect((await perform({ key: "k8" })).replayed).toBe(true);
    const sends = relay.sends;
    relay.on = true;
    expect((await perform({ key: "lost" })).replayed).toBe(true);
    expect(relay.sends).toBe(sends);
  });

  test("in doubt is bounded with the actions in doubt", async () => {
    const { perform, relay, ledger } = setUp({
      limits: { keysPerPrincipal: 5, actions: { kept: 10, age: hours(1), inDoubt: 5 } },
    });
    relay.mood = "breaks";
    for (let i = 0; i < 200; i += 1) await perform({ key: `lost-${i}` });
    expect(ledger.list("actions").length).toBeLessThanOrEqual(6);
    expect(ledger.list("keys").length).toBeLessThanOrEqual(6);
    expect(relay.sends).toBe(200);
  });

  test("in doubt answers from memory when its action is gone, until its time is over", async () => {
    const { perform, relay, clock } = setUp({
      limits: { keysPerPrincipal: 50, actions: { kept: 10, age: hours(1), inDoubt: 1 } },
    });
    relay.mood = "breaks";
    const lost = await perform({ key: "first" });
    for (let i = 0; i < 3; i += 1) await perform({ key: `k${i}` });
    await clock.advance(millis(1));
    const sends = relay.sends;
    expect(await perform({ key: "first" })).toEqual({ ...lost, replayed: true });
    expect(relay.sends).toBe(sends);
    await clock.advance(hours(25));
    expect(await perform({ key: "first" })).not.toHaveProperty("replayed");
    expect(relay.sends).toBe(sends + 1);
  });

  test("that two hubs on one ledger take at the same moment is sent by one of them", async () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock });
    const hubs = [setUp({ ledger, clock }), setUp({ ledger, clock })];
    const busy = hubs.map(({ relay, door }) => {
      relay.delay = seconds(1);
      return door.perform(relay.effect(true));
    });
    await clock.advance(millis(10));
    const both = Promise.allSettled(hubs.map(({ perform }) => perform()));
    await clock.advance(seconds(5));
    await Promise.all(busy);
    const settled = await both;
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(settled[1]).toMatchObject({ reason: { code: "CONFLICT" } });
    expect(hubs.map(({ relay }) => relay.sends)).toEqual([2, 1]);
  });

  test("that has expired and is being used again is not swept away from under its action", async () => {
    const { perform, relay, clock, door, ledger } = setUp({
      limits: { actions: { kept: 1, age: hours(1), inDoubt: 10 } },
    });
    await perform({ keyTtl: seconds(1) });
    await clock.advance(seconds(2));
    relay.delay = seconds(1);
    const busy = door.perform(relay.effect(true));
    await clock.advance(millis(10));
    const again = perform();
    relay.delay = millis(0);
    await door.perform(relay.effect(true, { target: "elsewhere" }));
    await clock.advance(seconds(5));
    await busy;
    expect(await again).toMatchObject({ receipt: { stage: "observed" } });
    expect(ledger.list("keys")).toHaveLength(1);
  });

  // @proves kernel.door.key-before-approval
  test("of a finished action asks nobody again", async () => {
    const { perform, approvals, clock } = setUp();
    const asked = await perform({ confirm: "confirm" }).catch((error: unknown) => error);
    const approval = String((asked as SteadingError).details?.["approval"]);
    await perform({ confirm: "confirm", approval });
    await clock.advance(millis(1));
    expect((await perform({ confirm: "confirm" })).replayed).toBe(true);
    expect(approvals.pending()).toEqual([]);
  });
});
