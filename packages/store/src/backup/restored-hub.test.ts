import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createManualClock, hours, minutes, seconds, type Ledger, type StoredRecord } from "@steading/kernel";
import { createTrialDoor, createTrialRelay } from "@steading/kernel/testing";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { stageRestore } from "./stage-restore.ts";

// A hub that is restored: what the composition makes of `disarmed()`, with the real door.

const product = { classes: {} };

function doorOn(store: Store, clock: ReturnType<typeof createManualClock>) {
  const trial = createTrialDoor({
    ledger: store.ledger,
    clock,
    access: () => (store.disarmed() === undefined ? "write" : "read"),
  });
  return { ...trial, relay: createTrialRelay(trial), pump: createTrialRelay(trial, "pump") };
}

function* records(ledger: Ledger): Generator<StoredRecord> {
  for (let page = ledger.records("audit"); page.length > 0;) {
    yield* page;
    page = ledger.records("audit", { after: page.at(-1)?.seq ?? 0 });
  }
}

/** Readings, a key in use all the time, and effects at two targets, until told to stop. */
function underLoad(store: Store, clock: ReturnType<typeof createManualClock>) {
  const { door, relay, pump } = doorOn(store, clock);
  let on = true;
  let done = 0;
  async function effects(target: typeof relay): Promise<void> {
    while (on) {
      const key = `key-${done++}`;
      await door.perform(target.effect(done % 2 === 0, { key }));
    }
  }
  async function readings(): Promise<void> {
    while (on) {
      const at = clock.now() - hours(3) + (done % 40); // at most 8 000 different ones, however long it takes
      const batch = Array.from({ length: 200 }, (_, n) => ({ path: "/tank", at: at + n * 50_000, value: n }));
      await store.history.append(
        batch.map((reading) => ({ ...reading, quality: "good" as const })),
        { durability: "kept" },
      );
    }
  }
  const working = [effects(relay), effects(pump), readings()];
  return {
    effects: () => done,
    async stop() {
      on = false;
      await Promise.all(working);
    },
  };
}

// @proves store.backup.on-running-hub store.restore.disarmed
test("a backup under load becomes a consistent hub that acts only towards safe until somebody arms it", async () => {
  const clock = createManualClock();
  const store = await openTestStore(temporaryDirectory(), { clock, ...product });
  const load = underLoad(store, clock);
  const from = join(temporaryDirectory(), "backup");
  while (load.effects() < 20) await new Promise(setImmediate);
  await store.backup(from);
  await load.stop();
  await clock.advance(hours(1));

  const dir = temporaryDirectory();
  await stageRestore({ dir, from, clock });
  const restored = await openTestStore(dir, { clock, ...product });
  const { ledger, history } = restored;
  const audit = [...records(ledger)];
  expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1));
  const { door, relay, pump } = doorOn(restored, clock);
  const ended = audit.filter(({ kind }) => kind === "effect.ended").map(({ data }) => String(data["action"]));
  const reserved = audit.filter(({ kind }) => kind === "effect.reserved").map(({ data }) => String(data["action"]));
  expect(ended.length).toBeGreaterThanOrEqual(10);
  for (const id of ended) expect(door.action(id)?.receipt.stage, id).toBe("observed");
  // Whatever was under way when the backup was made is there too, and open.
  const open = reserved.filter((id) => !ended.includes(id));
  for (const id of open) expect(door.action(id)?.receipt.stage, id).toBe("requested");
  const range = { path: "/tank", from: 0, to: clock.now() };
  const raw = await history.range({ ...range, limit: 10_000 });
  const { count } = await history.summary(range);
  expect(raw.truncated).toBe(false);
  expect(count).toBe(raw.readings.length);
  expect(count).toBeGreaterThanOrEqual(200);

  let looking = true;
  const recovered = door.recover(new AbortController().signal).finally(() => (looking = false));
  while (looking) await clock.advance(seconds(1)); // a relay that is not as asked is looked at until the deadline
  await recovered;
  expect(relay.sends + pump.sends).toBe(0);
  await expect(door.perform(relay.effect(true))).rejects.toMatchObject({ code: "SERVER_READ_ONLY" });
  expect((await door.perform(relay.effect(false))).receipt.stage).toBe("observed");
  await restored.arm("anna");
  expect((await door.perform(relay.effect(true))).receipt.stage).toBe("observed");
  await restored.close();

  const again = await openTestStore(dir, { clock, ...product });
  expect(again.disarmed()).toBeUndefined();
  expect([...records(again.ledger)].filter(({ kind }) => kind === "store.armed")).toMatchObject([
    { data: { by: "anna" } },
  ]);
});

// @proves store.restore.overdue-ons-dropped
test("an ON that fell due between backup and restore is dropped; an OFF and what is still to come are not", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock, ...product });
  const due = (after: number) => clock.now() + after;
  const timers = {
    "on-soon": { dueAt: due(minutes(10)), toward: "live", target: "pump" },
    "on-unsaid": { dueAt: due(minutes(20)), target: "pump" },
    "off-soon": { dueAt: due(minutes(30)), toward: "safe", target: "pump" },
    "on-later": { dueAt: due(hours(9)), toward: "live", target: "pump" },
    odd: "no timer at all",
  };
  const puts = Object.entries(timers).map(([key, value]) => ({ space: "farm.timers", key, value }));
  const many = Array.from({ length: 1_500 }, (_, n) => ({ space: "timers", key: `t${n}`, value: { dueAt: due(n) } }));
  const unlike = { space: "farm.automations", key: "dawn", value: { dueAt: due(minutes(1)) } };
  await store.ledger.commit({ durability: "fixed", puts: [...puts, ...many, unlike] });
  const from = join(temporaryDirectory(), "backup");
  await store.backup(from);
  await clock.advance(hours(5));
  await stageRestore({ dir, from, clock });
  await store.close();

  const restored = await openTestStore(dir, { clock, ...product });
  const keys = (space: string) => restored.ledger.list(space).map(({ key }) => key);
  expect(keys("farm.timers")).toEqual(["odd", "off-soon", "on-later"]);
  expect(keys("timers")).toEqual([]);
  expect(keys("farm.automations")).toEqual(["dawn"]);
  expect(restored.disarmed()).toMatchObject({ timersDropped: 1_502 });
  expect(restored.ledger.records("audit").at(-1)).toMatchObject({ data: { timersDropped: 1_502 } });
  await restored.close();

  // A start that is no restore drops nothing: a timer that is late then is its part's business.
  const again = await openTestStore(dir, { clock, ...product });
  await again.ledger.commit({
    durability: "fixed",
    puts: [{ space: "farm.timers", key: "late", value: { dueAt: 1 } }],
  });
  await again.close();
  const third = await openTestStore(dir, { clock, ...product });
  expect(third.ledger.get("farm.timers", "late")).toBeDefined();
});

test("a restore that was cut short after its state was opened keeps the old state's reserve", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock });
  const from = join(temporaryDirectory(), "backup");
  await store.backup(from);
  await store.close();
  writeFileSync(join(dir, "reserve.bin"), "what the old state had put here");
  const { stagedAt } = await stageRestore({ dir, from, clock });
  // As if killed after everything was placed and a reserve of the restored state begun, before its epoch was on record.
  const before = join(dir, `before-restore-${new Date(stagedAt).toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(before);
  for (const name of ["state.db", "history.db"]) {
    renameSync(join(dir, name), join(before, name));
    renameSync(join(dir, "restore", name), join(dir, name));
  }
  renameSync(join(dir, "reserve.bin"), join(before, "reserve.bin"));
  writeFileSync(join(dir, "reserve.bin"), "");

  const restored = await openTestStore(dir, { clock });
  expect(restored.disarmed()).toBeDefined();
  expect(existsSync(join(dir, "restore"))).toBe(false);
  expect(readFileSync(join(before, "reserve.bin"), "utf8")).toBe("what the old state had put here");
});
