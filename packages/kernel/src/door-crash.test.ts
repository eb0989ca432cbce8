import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DoorLimits } from "./door-limits.ts";
import { days, millis, seconds } from "./duration.ts";
import type { Effect, Outcome } from "./effect.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { createMortalLedger, createTrialDoor, createTrialRelay, type RelayMood } from "./testing/index.ts";

function setUp(given: Parameters<typeof createTrialDoor>[0] = {}) {
  const trial = createTrialDoor(given);
  const relay = createTrialRelay(trial);
  const perform = (over: Partial<Effect> = {}) => trial.door.perform(relay.effect(true, { key: "k", ...over }));
  return { ...trial, relay, perform };
}

describe("after a crash", () => {
  function crashable(limits: Partial<DoorLimits> = {}) {
    const clock = createManualClock();
    const disk = createMemoryLedger({ clock });
    const start = () => {
      const life = createMortalLedger(disk);
      return { life, ...setUp({ ledger: life.ledger, clock, limits }) };
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

  test("what a later action brought about is not told as the earlier one's doing", async () => {
    const { clock, start } = crashable();
    const first = start();
    first.relay.delay = seconds(1);
    void first.perform();
    await clock.advance(millis(10));
    first.life.kill();
    const second = start();
    const recovering = second.door.recover(signal);
    await clock.advance(seconds(6));
    const [left] = (await recovering).inDoubt;
    const later = second.perform({ key: "another" });
    await clock.advance(seconds(1));
    expect(await later).toMatchObject({ receipt: { stage: "observed" } });
    expect(await second.perform()).toMatchObject({ replayed: true, receipt: { stage: "unknown" } });
    second.life.kill();
    const third = start();
    third.relay.on = true;
    expect((await third.door.recover(signal)).inDoubt).toMatchObject([{ id: left?.id }]);
    expect(third.door.action(left?.id ?? "")).toMatchObject({ receipt: { stage: "unknown" } });
    expect(await third.perform()).toMatchObject({ replayed: true, receipt: { stage: "unknown" } });
    expect(third.relay.sends).toBe(0);
  });

  test("nor is it once the later action is old enough to be forgotten", async () => {
    const { clock, start } = crashable({ actions: { kept: 10, age: days(7), inDoubt: 100 } }); // sweeps each time
    const first = start();
    first.relay.delay = seconds(1);
    void first.perform();
    await clock.advance(millis(10));
    first.life.kill();
    const second = start();
    const recovering = second.door.recover(signal);
    await clock.advance(seconds(6));
    const [left] = (await recovering).inDoubt;
    const later = second.perform({ key: "another" });
    await clock.advance(seconds(1));
    expect((await later).receipt.stage).toBe("observed");
    await clock.advance(days(8));
    for (const key of ["x", "y"]) {
      const elsewhere = second.perform({ key, target: "elsewhere" });
      await clock.advance(seconds(1));
      await elsewhere;
    }
    second.life.kill();
    const third = start();
    third.relay.on = true;
    const again = third.door.recover(signal);
    await clock.advance(seconds(6));
    await again;
    expect(third.door.action(left?.id ?? "")).toMatchObject({ receipt: { stage: "unknown" } });
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
    expect(after.relay.events).toEqual(["read"]);
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

  // @proves kernel.door.crash-observes-open-reservations
  test("a recovery that is told to stop has written down that nobody knows, and the next one looks", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const { inDoubt } = await after.door.recover(AbortSignal.abort());
    expect(inDoubt).toMatchObject([{ receipt: { stage: "unknown" }, outcome: { error: { code: "INTERRUPTED" } } }]);
    expect(after.relay.events).toEqual([]);
    after.life.kill();
    const later = start();
    later.relay.on = true;
    expect(await later.door.recover(signal)).toEqual({ inDoubt: [] });
    expect(later.door.actions()).toMatchObject([{ receipt: { stage: "observed" } }]);
    expect(later.relay.sends).toBe(0);
  });

  test("every open action is known to be in doubt at once, also behind targets that do not answer", async () => {
    const { clock, start } = crashable();
    const before = start();
    const targets = Array.from({ length: 40 }, (_, i) => `t${i}`);
    before.relay.delay = seconds(1);
    for (const target of targets) void before.door.perform(before.relay.effect(true, { target }));
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const recovering = after.door.recover(signal);
    await clock.advance(millis(0));
    expect(after.door.actions().map(({ receipt }) => receipt.stage)).toEqual(targets.map(() => "unknown"));
    await clock.advance(seconds(15));
    after.relay.on = true;
    await clock.advance(seconds(60));
    expect((await recovering).inDoubt).toHaveLength(24);
    expect(after.door.actions().filter(({ receipt }) => receipt.stage === "observed")).toHaveLength(16);
  });

  test("a recovery that is told to stop does not wait for what it is looking at", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const stopping = new AbortController();
    const recovering = after.door.recover(stopping.signal);
    await clock.advance(seconds(1));
    stopping.abort();
    expect((await recovering).inDoubt).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test("interlocks hear of an open action that it may have happened, and then what was seen", async () => {
    const { clock, start } = crashable();
    const before = start();
    before.relay.delay = seconds(1);
    void before.perform();
    await clock.advance(millis(10));
    before.life.kill();
    const after = start();
    const heard: string[] = [];
    after.door.registerInterlock({
      name: "listens",
      applies: () => false,
      check: () => undefined,
      looked: ({ target, toward, arguments: given }, stage) =>
        heard.push(`${target} ${toward} ${String(given["on"])} ${stage}`),
    });
    after.relay.on = true;
    await after.door.recover(signal);
    expect(heard).toEqual(["relay-1 live true unknown", "relay-1 live true observed"]);
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
