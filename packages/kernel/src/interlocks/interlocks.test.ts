import { expect, test } from "vitest";
import { millis, minutes, seconds } from "../duration.ts";
import type { Effect } from "../effect.ts";
import { createTrialDoor, createTrialRelay } from "../testing/index.ts";
import { limit } from "./limit.ts";
import { minimumInterval } from "./minimum-interval.ts";
import { mutualExclusion } from "./mutual-exclusion.ts";
import { rate } from "./rate.ts";
import { createRecentTimes } from "./recent-times.ts";

const turnsOn = ({ toward }: Effect): boolean => toward === "live";

function setUp() {
  const trial = createTrialDoor();
  const relay = createTrialRelay(trial);
  const on = (over: Partial<Effect> = {}) => trial.door.perform(relay.effect(true, over));
  const off = (over: Partial<Effect> = {}) => trial.door.perform(relay.effect(false, over));
  return { ...trial, relay, on, off };
}

// @proves kernel.interlock.limits
test("a value within its limits passes, one outside or unknown does not", async () => {
  const { door, on, relay } = setUp();
  door.registerInterlock(
    limit({
      name: "flow",
      applies: () => true,
      value: ({ arguments: { celsius } }) => (typeof celsius === "number" ? celsius : undefined),
      min: 5,
      max: 75,
      unit: "°C",
    }),
  );
  for (const celsius of [5, 40, 75]) expect((await on({ arguments: { celsius } })).receipt.stage).toBe("observed");
  for (const celsius of [4.9, 76, Number.NaN, "hot", null]) {
    const refused = on({ arguments: { celsius: Number.isNaN(celsius) ? null : celsius } });
    await expect(refused).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", retryable: false });
  }
  expect(relay.sends).toBe(3);
});

// @proves kernel.interlock.minimum-times
test("a minimum off time starts with OFF, holds ON back, and says until when", async () => {
  const { door, clock, on, off, relay } = setUp();
  door.registerInterlock(
    minimumInterval({
      name: "rest",
      clock,
      interval: minutes(3),
      applies: turnsOn,
      starts: (effect) => !turnsOn(effect),
    }),
  );
  await on();
  await off();
  await clock.advance(minutes(1));
  await expect(on()).rejects.toMatchObject({
    code: "TOO_SOON",
    retryable: true,
    details: { until: new Date(clock.now() + minutes(2)).toISOString() },
  });
  await off();
  await clock.advance(minutes(2));
  await expect(on()).rejects.toMatchObject({ code: "TOO_SOON" });
  await clock.advance(minutes(1));
  expect((await on()).receipt.stage).toBe("observed");
  expect(relay.sends).toBe(4);
});

test("a minimum interval counts for each target by itself and only what was sent", async () => {
  const { door, clock, on, relay } = setUp();
  door.registerInterlock(minimumInterval({ name: "pause", clock, interval: seconds(10), applies: turnsOn }));
  relay.mood = "unreachable";
  await expect(on()).rejects.toMatchObject({ code: "LINE_DOWN" });
  relay.mood = "obeys";
  await on();
  await expect(on()).rejects.toMatchObject({ code: "TOO_SOON" });
  await on({ target: "relay-2" });
});

test("a minimum interval holds across a restart when the history tells it", async () => {
  const { door, clock, on } = setUp();
  let changed: number | undefined = clock.now() - seconds(4);
  door.registerInterlock(
    minimumInterval({ name: "pause", clock, interval: seconds(10), applies: turnsOn, since: () => changed }),
  );
  await expect(on()).rejects.toMatchObject({ code: "TOO_SOON" });
  changed = clock.now() + minutes(60); // the machine's clock was set back meanwhile
  await expect(on()).rejects.toMatchObject({ details: { until: new Date(clock.now() + seconds(10)).toISOString() } });
  changed = undefined;
  await on();
});

// @proves kernel.interlock.rate
test("a rate lets so many through in any span of time", async () => {
  const { door, clock, on, off } = setUp();
  door.registerInterlock(rate({ name: "often", clock, count: 2, per: minutes(1), applies: turnsOn }));
  await on();
  await clock.advance(seconds(20));
  await on();
  await expect(on()).rejects.toMatchObject({
    code: "RATE_EXCEEDED",
    details: { until: new Date(clock.now() + seconds(40)).toISOString() },
  });
  await off();
  await clock.advance(seconds(40));
  await on();
  await expect(on()).rejects.toMatchObject({ code: "RATE_EXCEEDED" });
});

function pair() {
  const trial = createTrialDoor();
  const relays = ["up", "down"].map((name) => createTrialRelay(trial, name));
  const [up, down] = relays as [(typeof relays)[number], (typeof relays)[number]];
  const states: Record<string, boolean | undefined> = { up: false, down: false };
  trial.door.registerInterlock(
    mutualExclusion({ name: "blind", targets: ["up", "down"], turnsOn, isOn: (target) => states[target] }),
  );
  return { ...trial, up, down, states };
}
const excluded = { code: "EXCLUDED", retryable: true };

// @proves kernel.interlock.mutual-exclusion
test("two that exclude each other are never on together", async () => {
  const { door, up, down, states } = pair();
  await door.perform(up.effect(true));
  states["up"] = true;
  await expect(door.perform(down.effect(true))).rejects.toMatchObject(excluded);
  await door.perform(up.effect(true));
  await door.perform(up.effect(false));
  states["up"] = false;
  await door.perform(down.effect(true));
  expect(down.sends).toBe(1);
});

test("two that exclude each other cannot both slip through while neither is on yet", async () => {
  const { door, up, down, clock } = pair();
  up.delay = seconds(1);
  const first = door.perform(up.effect(true));
  await expect(door.perform(down.effect(true))).rejects.toMatchObject(excluded);
  await clock.advance(seconds(1));
  await first;
});

test("one whose state is unknown or in doubt counts as on until it is seen", async () => {
  const { door, up, down, states } = pair();
  states["up"] = undefined;
  await expect(door.perform(down.effect(true))).rejects.toMatchObject(excluded);
  states["up"] = false;
  up.mood = "breaks";
  expect((await door.perform(up.effect(true))).receipt.stage).toBe("unknown");
  await expect(door.perform(down.effect(true))).rejects.toMatchObject(excluded);
  up.mood = "obeys";
  await door.perform(up.effect(false));
  await door.perform(down.effect(true));
});

test("one in doubt excludes no longer once a second look has seen it", async () => {
  const { door, up, down, states } = pair();
  up.mood = "breaks";
  await door.perform(up.effect(true));
  await door.perform(up.effect(false, { key: "off" }));
  await expect(door.perform(down.effect(true))).rejects.toMatchObject(excluded);
  up.on = false;
  expect((await door.perform(up.effect(false, { key: "off" }))).receipt.stage).toBe("observed");
  states["up"] = false;
  await door.perform(down.effect(true));
  expect([up.sends, down.sends]).toEqual([2, 1]);
});

test("one that never got on its way excludes nothing", async () => {
  const { door, up, down } = pair();
  up.mood = "unreachable";
  await expect(door.perform(up.effect(true))).rejects.toMatchObject({ code: "LINE_DOWN" });
  await door.perform(down.effect(true));
});

test("what was noted is forgotten when it no longer matters", async () => {
  const { clock } = setUp();
  const times = createRecentTimes({ clock, span: seconds(1) });
  for (let i = 0; i < 50; i += 1) {
    times.note(`t${i}`);
    await clock.advance(millis(100));
  }
  expect(times.size).toBeLessThanOrEqual(11);
  for (let i = 0; i < 10_050; i += 1) times.note(`x${i}`);
  expect(times.size).toBeLessThanOrEqual(10_000);
});
