import { expect, test } from "vitest";
import { minutes, seconds } from "./duration.ts";
import { createManualClock } from "./manual-clock.ts";
import { createSnapshots, type Captured } from "./snapshot.ts";
import { createTrialLog, trialCaller } from "./testing/index.ts";

const anna = trialCaller();
const ben = trialCaller({ principal: "ben" });
const gone = expect.objectContaining({ code: "SNAPSHOT_NOT_FOUND" });

function setUp(limits = {}) {
  const clock = createManualClock();
  let state = { zones: 1 };
  let weight = 100;
  const released: string[] = [];
  const sources = new Map<string, () => Captured>([
    ["ebus", () => ({ view: state, bytes: () => weight, release: () => void released.push("ebus") })],
    ["farm", () => ({ view: "farm", bytes: () => 50, release: () => void released.push("farm") })],
    ["rude", () => ({ view: "rude", bytes: () => 1, release: refuse })],
    ["broken", refuse],
  ]);
  const { log, logged } = createTrialLog();
  return {
    clock,
    released,
    logged,
    snapshots: createSnapshots({ sources, clock, log, limits }),
    change: () => (state = { zones: 2 }),
    grow: (bytes: number) => (weight = bytes),
  };
}

function refuse(): never {
  throw new Error("not today");
}

// @proves kernel.snapshot.names-its-parts kernel.snapshot.copy-on-write kernel.part.capture-copy-on-write
test("a snapshot names its parts and shows the moment of its capture", () => {
  const { snapshots, change, clock } = setUp();
  const info = snapshots.capture(anna, ["ebus", "ebus"]);
  expect(info).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    parts: ["ebus"],
    createdAt: clock.now(),
    expiresAt: clock.now() + minutes(5),
  });
  change();
  expect(snapshots.read(info.id, anna, "ebus")).toEqual({ info, view: { zones: 1 } });
  expect(() => snapshots.read(info.id, anna, "farm")).toThrow(gone);
  expect(() => snapshots.capture(anna, ["nothing"])).toThrow(gone);
});

// @proves kernel.snapshot.ttl
test("a snapshot is gone after its time, and reading does not extend it", async () => {
  const { snapshots, clock } = setUp();
  const { id } = snapshots.capture(anna, ["ebus"]);
  await clock.advance(seconds(299));
  snapshots.read(id, anna, "ebus");
  await clock.advance(seconds(1));
  expect(() => snapshots.read(id, anna, "ebus")).toThrow(gone);
  expect(snapshots.counters).toEqual({ held: 0, bytes: 0, evicted: 0, expired: 1 });
});

test("a snapshot belongs to whoever captured it, and can be dropped once", () => {
  const { snapshots } = setUp();
  const { id } = snapshots.capture(anna, ["ebus"]);
  expect(() => snapshots.read(id, ben, "ebus")).toThrow(gone);
  expect(() => snapshots.drop(id, ben)).toThrow(gone);
  snapshots.drop(id, anna);
  expect(() => snapshots.drop(id, anna)).toThrow(gone);
});

// @proves kernel.snapshot.memory-bound
test("number and memory are bounded: the oldest goes, and one that can never fit is refused", () => {
  const few = setUp({ count: 2 }).snapshots;
  const ids = [1, 2, 3].map(() => few.capture(anna, ["ebus"]).id);
  expect(() => few.read(ids[0] ?? "", anna, "ebus")).toThrow(gone);
  expect(few.counters).toMatchObject({ held: 2, evicted: 1 });
  const small = setUp({ bytes: 120 }).snapshots;
  small.capture(anna, ["ebus"]);
  small.capture(anna, ["farm"]);
  expect(small.counters).toMatchObject({ held: 1, bytes: 50, evicted: 1 });
  expect(() => small.capture(anna, ["ebus", "farm"])).toThrow(expect.objectContaining({ code: "SNAPSHOT_TOO_LARGE" }));
});

// @proves kernel.snapshot.memory-bound
test("what is held is weighed as it grows, and given back without anybody asking", async () => {
  const { snapshots, clock, released, grow } = setUp({ bytes: 250 });
  snapshots.capture(anna, ["farm"]);
  const { id } = snapshots.capture(anna, ["ebus"]);
  expect(snapshots.counters).toMatchObject({ held: 2, bytes: 150 });
  grow(210);
  await clock.advance(seconds(1));
  expect(released).toEqual(["farm"]);
  expect(snapshots.counters).toMatchObject({ held: 1, bytes: 210, evicted: 1 });
  grow(251);
  await clock.advance(seconds(1));
  expect(released).toEqual(["farm", "ebus"]);
  expect(() => snapshots.read(id, anna, "ebus")).toThrow(gone);
  expect(clock.pending).toBe(0);
});

// @proves kernel.snapshot.ttl
test("a part's share is released exactly once: when it expires, is dropped, is refused, or everything ends", async () => {
  const { snapshots, clock, released } = setUp({ bytes: 120 });
  snapshots.capture(anna, ["ebus"]);
  await clock.advance(minutes(5));
  expect(released).toEqual(["ebus"]);
  snapshots.drop(snapshots.capture(anna, ["farm"]).id, anna);
  expect(released).toEqual(["ebus", "farm"]);
  expect(() => snapshots.capture(anna, ["farm", "ebus"])).toThrow(
    expect.objectContaining({ code: "SNAPSHOT_TOO_LARGE" }),
  );
  expect(released).toEqual(["ebus", "farm", "farm", "ebus"]);
  expect(() => snapshots.capture(anna, ["farm", "broken"])).toThrow("not today");
  expect(released).toEqual(["ebus", "farm", "farm", "ebus", "farm"]);
  snapshots.capture(anna, ["ebus"]);
  snapshots.close();
  snapshots.close();
  expect(released).toEqual(["ebus", "farm", "farm", "ebus", "farm", "ebus"]);
  expect(clock.pending).toBe(0);
});

test("a part that cannot give back is logged and does not keep the others", () => {
  const { snapshots, released, logged } = setUp();
  snapshots.drop(snapshots.capture(anna, ["rude", "farm"]).id, anna);
  expect(released).toEqual(["farm"]);
  expect(logged).toEqual([expect.objectContaining({ level: "error", fields: { part: "rude" } })]);
});
