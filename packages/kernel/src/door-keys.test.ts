import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hours, millis, seconds } from "./duration.ts";
import type { Effect, Outcome } from "./effect.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { SteadingError } from "./steading-error.ts";
import { createMortalLedger, createTrialDoor, createTrialRelay, trialCaller, type RelayMood } from "./testing/index.ts";

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
    const gone = expect(second).rejects.toMatchObject({ code: "CANCELLED" });
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
  test("is remembered for a day, or as long as its effect says, and in doubt for ever", async () => {
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

describe("after a crash", () => {
  function crashable() {
    const clock = createManualClock();
    const disk = createMemoryLedger({ clock });
    const start = () => {
      const life = createMortalLedger(disk);
      return { life, ...setUp({ ledger: life.ledger, clock }) };
    };
    return { clock, disk, start };
  }
  const signal = new AbortController().signal;

  // @proves kernel.door.crash-observes-open-reservations kernel.door.crash-never-resends
  test("an open reservation is observed and never sent again", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    after.relay.on = true;
    expect(await after.door.recover(signal)).toEqual({ inDoubt: [] });
    expect(after.door.actions()).toMatchObject([
      { receipt: { stage: "observed", observed: true }, outcome: { before: false } },
    ]);
    expect(await after.perform()).toMatchObject({ replayed: true, receipt: { stage: "observed" } });
    expect(after.relay.sends).toBe(0);
    expect(after.relay.events).toEqual(["read"]);
  });

  test("what does not show the wanted state stays in doubt, and a repeat looks again", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const recovering = after.door.recover(signal);
    await clock.advance(seconds(6));
    const { inDoubt } = await recovering;
    expect(inDoubt).toMatchObject([{ receipt: { stage: "unknown" }, outcome: { error: { code: "INTERRUPTED" } } }]);
    after.relay.on = true;
    expect(await after.perform()).toMatchObject({ replayed: true, receipt: { stage: "observed" } });
    expect(after.relay.sends).toBe(0);
    expect(await after.door.recover(signal)).toEqual({ inDoubt: [] });
  });

  test("a repeat that comes before the recovery looks too, and both agree", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    after.relay.on = true;
    const repeating = after.perform();
    const recovering = after.door.recover(signal);
    expect(await repeating).toMatchObject({ replayed: true, receipt: { stage: "observed" } });
    expect((await recovering).inDoubt).toEqual([]);
    expect(after.relay.sends).toBe(0);
  });

  test("an action whose observer is gone or whose device has no read-back stays in doubt", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    before.door.registerObserver("gone", () => before.relay.observe);
    void before.door.perform(before.relay.effect(true, { observer: "gone", target: "t1" }));
    void before.door.perform(before.relay.effect(true, { observeDeadline: millis(0), target: "t2" }));
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const { inDoubt } = await after.door.recover(signal);
    expect(inDoubt.map(({ target }) => target).toSorted()).toEqual(["t1", "t2"]);
    expect(after.relay.sends).toBe(0);
  });

  test("a recovery that is told to stop leaves the rest open", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const { inDoubt } = await after.door.recover(AbortSignal.abort());
    expect(inDoubt).toMatchObject([{ receipt: { stage: "requested" } }]);
    expect(after.relay.events).toEqual([]);
  });

  test("an effect that is under way is not recovered", async () => {
    const { clock, start } = crashable();
    const { relay, perform, door } = start();
    relay.delay = seconds(1);
    const performing = perform();
    await clock.advance(millis(10));
    expect(await door.recover(signal)).toEqual({ inDoubt: [] });
    await clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("observed");
  });
});

describe("whatever happens", () => {
  const moods: RelayMood[] = ["obeys", "obeys", "lies", "refuses", "unreachable", "breaks", "crashes", "hangs"];
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("call" as const), key: fc.constantFrom("a", "b", "c", "d") }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 6, 50, 3_000, 11_000) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("mood" as const),
        mood: fc.constantFrom(...moods),
        line: fc.constantFrom(0, 50, 12_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("off" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("recover" as const) }) },
  );

  test("one key reaches the wire at most once, through failures, departures and crashes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 80, size: "max" }),
        fc.constantFrom(0, 100, 5_000),
        async (steps, delay) => {
          const clock = createManualClock();
          const disk = createMemoryLedger({ clock, latency: millis(5) });
          const bytes = new Map<string, number>();
          const answers: Promise<Outcome | undefined>[] = [];
          let mood: RelayMood = "obeys";
          let line = 0;
          let callers: AbortController[] = [];
          const start = () => {
            const life = createMortalLedger(disk);
            const trial = createTrialDoor({ ledger: life.ledger, clock });
            return { life, ...trial, relay: createTrialRelay(trial) };
          };
          let hub = start();
          const call = (key: string): void => {
            const { life, relay, door } = hub;
            relay.mood = mood;
            relay.delay = millis(delay);
            const effect = relay.effect(true, { key, arguments: { key } });
            const { send } = effect.drive;
            const wait = millis(line);
            const drive: Effect["drive"] = {
              async send(wire, signal) {
                await clock.sleep(wait); // a driver that does not listen to its signal
                const firstByte = (): void => {
                  if (life.dead) throw new Error("a dead process sends nothing");
                  wire.firstByte();
                  bytes.set(key, (bytes.get(key) ?? 0) + 1);
                };
                return send({ firstByte }, signal);
              },
            };
            const { signal } = callers[callers.push(new AbortController()) - 1] ?? new AbortController();
            answers.push(door.perform({ ...effect, drive }, { signal }).catch(() => undefined));
          };
          for (const each of steps) {
            if (each.do === "call") call(each.key);
            else if (each.do === "wait") await clock.advance(millis(each.ms));
            else if (each.do === "mood") ({ mood, line } = each);
            else if (each.do === "off") answers.push(hub.door.perform(hub.relay.effect(false)).catch(() => undefined));
            else if (each.do === "recover") void hub.door.recover(new AbortController().signal);
            else if (each.do === "leave") {
              for (const each of callers) each.abort();
              callers = [];
            } else {
              hub.life.kill();
              answers.length = 0; // nobody answers for the dead
              hub = start();
            }
            await clock.advance(millis(0));
          }
          await clock.advance(seconds(600));
          await Promise.all(answers);
          for (const [key, count] of bytes) expect(count, `bytes for ${key}`).toBeLessThanOrEqual(1);
          expect(clock.pending).toBe(0);
          expect(hub.door.counters.lanes).toMatchObject({ lanes: 0, waiting: 0 });
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);
});
