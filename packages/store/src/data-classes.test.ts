import { join } from "node:path";
import { silentLog, STREAMS, type Commit, type Durability, type Log } from "@steading/kernel";
import { expect, test } from "vitest";
import { createClassRules, DATA_CLASSES } from "./data-classes.ts";
import { openForReading } from "./sqlite/open-database.ts";
import { openTestStore, temporaryDirectory } from "./test-directory.fixture.ts";

// A store with the product's own classes; every commit here asks for the least there is.
const open = (dir: string) => openTestStore(dir, { classes: {} });
const careless = (space: string): Commit => ({
  durability: "volatile",
  puts: [{ space, key: "k", value: { of: space } }],
});

/** What is in the database at the moment in which the answer comes, seen by somebody else. */
function stored(dir: string, space: string): unknown {
  const db = openForReading(join(dir, "state.db"));
  try {
    return db.prepare("SELECT value FROM state WHERE space = ?").pluck().get(space);
  } finally {
    db.close();
  }
}

async function classInUse(commit: (space: string) => Commit, space: string): Promise<Durability> {
  const dir = temporaryDirectory();
  const store = await open(dir);
  await store.ledger.commit(commit(space));
  const found = stored(dir, space);
  const { syncs } = store.counters().ledger;
  await store.close();
  if (syncs > 0) return "fixed";
  return found === undefined ? "volatile" : "kept";
}

// @proves store.fixed.timers store.fixed.accounts store.fixed.settings store.fixed.automations store.fixed.alerts
// @proves store.fixed.graph-commits store.fixed.approvals store.fixed.reservations-and-outcomes
test.each([
  "timers",
  "farm.timers",
  "orchestrator.timers",
  "users",
  "user-passwords",
  "user-logins",
  "access-tokens",
  "settings",
  "farm.settings",
  "farm.automations",
  "farm.alerts",
  "orchestrator.graphs",
  "approvals",
  "actions",
  "keys",
])("%s is synced before the answer, also for a caller who did not ask", async (space) => {
  expect(await classInUse(careless, space)).toBe("fixed");
});

// @proves store.kept.blackboard store.kept.pheromones store.kept.triples store.kept.values store.kept.run-ticks
test.each([
  "orchestrator.blackboard",
  "orchestrator.pheromones",
  "orchestrator.triples",
  "orchestrator.values",
  "orchestrator.runs",
])("%s is in the log before the answer, and waits for no sync", async (space) => {
  expect(await classInUse(careless, space)).toBe("kept");
});

// @proves store.kept.run-ticks store.fixed.audit
test("records have the class of their stream, and a commit the strongest of all that is in it", async () => {
  const store = await open(temporaryDirectory());
  const records = (...streams: readonly (typeof STREAMS)[number][]): Commit => ({
    durability: "volatile",
    records: streams.map((stream) => ({ stream, kind: "tick", at: 1, data: {} })),
  });
  await store.ledger.commit(records("runs"));
  expect(store.counters().ledger).toMatchObject({ commits: 1, syncs: 0 });
  await store.ledger.commit(records("bus", "audit"));
  expect(store.counters().ledger).toMatchObject({ commits: 2, syncs: 1 });
  await store.ledger.commit({ ...records("runs"), deletes: [{ space: "farm.timers", key: "pump" }] });
  expect(store.counters().ledger).toMatchObject({ commits: 3, syncs: 2 });
});

// @proves store.volatile.child-output-overflow
test("child output beyond its table delays nobody, and may be lost without anything else", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir, { classes: {}, limits: { stateBytes: 400_000 } });
  await store.ledger.commit({ ...careless("farm.alerts"), durability: "fixed" });
  const output = { space: "orchestrator.child-output", key: "child-1/7", value: "x".repeat(1_000_000) };
  // Answered before the disk has spoken, and the disk says no.
  await expect(store.ledger.commit({ durability: "volatile", puts: [output] })).resolves.toMatchObject({ seqs: [] });
  await store.close();
  expect(store.counters().ledger).toMatchObject({ volatileLost: 1 });
  const after = await open(dir);
  expect(after.ledger.list("orchestrator.child-output")).toEqual([]);
  expect(after.ledger.get("farm.alerts", "k")).toBeDefined();
});

// @proves store.class.every-datum-has-one
test("every space has one class: its own, that of the longest beginning that is declared, or fixed", () => {
  const said: string[] = [];
  const log: Log = { ...silentLog, debug: (message) => said.push(message) };
  const { classOf } = createClassRules({ classes: DATA_CLASSES, log });
  for (const [space, durability] of Object.entries(DATA_CLASSES.spaces)) expect(classOf(space)).toBe(durability);
  expect(Object.keys(DATA_CLASSES.streams).sort()).toEqual(STREAMS.toSorted());
  expect(classOf("orchestrator.blackboard.kitchen.notes")).toBe("kept");
  expect(classOf("orchestrator.blackboards")).toBe("fixed");
  expect(classOf("farm.irrigation")).toBe("fixed");
  expect(said).toEqual([]);
  expect(classOf("greenhouse")).toBe("fixed");
  expect(classOf("greenhouse")).toBe("fixed");
  expect(classOf("__proto__")).toBe("fixed");
  expect(said).toEqual([
    "The space greenhouse has no class of its own and counts as fixed.",
    "The space __proto__ has no class of its own and counts as fixed.",
  ]);
});

test("the composition may declare further spaces", async () => {
  const store = await openTestStore(temporaryDirectory(), { classes: { spaces: { greenhouse: "kept" } } });
  await store.ledger.commit(careless("greenhouse"));
  expect(store.counters().ledger.syncs).toBe(0);
  await store.ledger.commit({ ...careless("greenhouse"), durability: "fixed" });
  expect(store.counters().ledger.syncs).toBe(1);
  await store.ledger.commit(careless("users"));
  expect(store.counters().ledger.syncs).toBe(2);
});
