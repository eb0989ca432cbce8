import { expect, test } from "vitest";
import { minutes, seconds } from "./duration.ts";
import { createManualClock } from "./manual-clock.ts";
import { createSnapshots, type Captured } from "./snapshot.ts";
import { trialCaller } from "./testing/index.ts";

const anna = trialCaller();
const ben = trialCaller({ principal: "ben" });
const gone = expect.objectContaining({ code: "SNAPSHOT_NOT_FOUND" });

function setUp(limits = {}) {
  const clock = createManualClock();
  let state = { zones: 1 };
  const sources = new Map<string, () => Captured>([
    ["ebus", () => ({ view: state, bytes: 100 })],
    ["farm", () => ({ view: "farm", bytes: 50 })],
  ]);
  return { clock, snapshots: createSnapshots({ sources, clock, limits }), change: () => (state = { zones: 2 }) };
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
