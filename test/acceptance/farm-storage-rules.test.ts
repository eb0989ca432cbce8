import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createTrialFarm, soilProbe, type TrialFarm } from "@steading/farm/testing";
import {
  createManualClock,
  days,
  millis,
  silentLog,
  type Commit,
  type Durability,
  type ManualClock,
} from "@steading/kernel";
import { openStore, type Store } from "@steading/store";
import type DatabaseType from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

// The driver is a dependency of packages/store.
const require = createRequire(new URL("../../packages/store/package.json", import.meta.url));
const Database = require("better-sqlite3") as typeof DatabaseType;
const FIXTURES = new URL("../../packages/store/fixtures/", import.meta.url);
const NOWHERE = { shed: { host: "127.0.0.1", port: 1 }, greenhouse: { host: "127.0.0.1", port: 1 } };

let folder: TemporaryFolder;
let store: Store;
let clock: ManualClock;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  clock = createManualClock(Date.UTC(2026, 5, 1));
  store = await open();
});
afterEach(async () => {
  await store.close();
  await folder.remove();
});

const open = (): Promise<Store> =>
  openStore({ dir: folder.at("data"), clock, log: silentLog, limits: { reserveBytes: 1024 * 1024 } });

/** The farm on the real store, not polling: what it keeps is looked at, not what it hears. */
function farmOn({ ledger, history }: Store): TrialFarm {
  return createTrialFarm({ clock, ledger, history });
}

function look<T>(file: string, ask: (db: DatabaseType.Database) => T): T {
  const db = new Database(folder.at("data", file), { readonly: true });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

/** One poll, as the poller hands it over. */
function poll({ core }: TrialFarm, id: number, value: number): void {
  const equipment = core.book.get(id);
  const readings = core.book.metrics(equipment).map((metric) => ({ metric, value }));
  core.readings.polled(equipment, clock.now(), readings);
}

// @proves farm.storage.wal
test("both databases are in WAL mode; polled readings ask for no sync, alerts and configuration for one", async () => {
  for (const file of ["state.db", "history.db"]) {
    expect(look(file, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
  }
  const commits: Durability[] = [];
  const appends: (Durability | undefined)[] = [];
  const { ledger, history } = store;
  const farm = createTrialFarm({
    clock,
    ledger: {
      ...bound(ledger),
      commit: (commit: Commit) => (commits.push(commit.durability), ledger.commit(commit)),
    },
    history: {
      ...bound(history),
      append: (readings, options) => (appends.push(options?.durability), history.append(readings, options)),
    },
  });
  const { id } = await farm.core.book.create(soilProbe(NOWHERE), "anna");
  await farm.core.alerts.raise({ severity: "info", message: "Look", source: "test" });
  expect(commits).toEqual(["fixed", "fixed"]);
  poll(farm, id, 20);
  expect(appends).toEqual(["volatile"]);
});

/** Its methods with the object they belong to, so that one of them can be replaced. */
function bound<T extends object>(whole: T): T {
  const methods = Object.entries(whole).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "function" ? (value.bind(whole) as unknown) : value,
  ]);
  return Object.fromEntries(methods) as T; // the same members
}

// @proves farm.storage.one-transaction
test("deleting a zone with everything that hangs on it is one transaction, on disk too", async () => {
  const { core } = farmOn(store);
  const house = await core.zones.create({ name: "House" }, "anna");
  await core.zones.create({ name: "Bench", parent_id: house.id }, "anna");
  const probe = await core.book.create(soilProbe(NOWHERE), "anna");
  await core.zones.link(house.id, probe.id, "anna");
  await core.alerts.raise({ severity: "warning", message: "Dry", source: "test", zoneId: house.id });
  await core.zones.remove(house.id, "anna");
  const { ledger } = store;
  const revisions = ["farm.zones", "farm.equipment", "farm.alerts"].flatMap((space) =>
    ledger.list(space).map(({ entry }) => entry.revision),
  );
  expect(revisions).toHaveLength(3);
  expect(new Set(revisions).size).toBe(1);
  expect(ledger.records("audit").at(-1)).toMatchObject({ kind: "farm.zone.deleted", data: { by: "anna" } });

  await store.close();
  store = await open();
  const again = farmOn(store).core;
  expect(again.zones.list()).toMatchObject([{ name: "Bench", parent_id: null }]);
  expect(again.book.get(probe.id).zone_ids).toEqual([]);
  expect(again.alerts.list()).toMatchObject([{ zone_id: null }]);
});

// @proves farm.storage.migrations
test("a state of the first schema carries a farm after it was opened, and one of a later program is refused", async () => {
  await store.close();
  copyFileSync(new URL("state-schema-1.db", FIXTURES), folder.at("data", "state.db"));
  store = await open();
  const version = Number(look("state.db", (db) => db.pragma("user_version", { simple: true })));
  expect(version).toBeGreaterThan(1);
  await farmOn(store).core.zones.create({ name: "House" }, "anna");
  await store.close();
  const db = new Database(folder.at("data", "state.db"));
  db.pragma("user_version = 99");
  db.close();
  await expect(open()).rejects.toMatchObject({ code: "SCHEMA_NEWER" });
  const back = new Database(folder.at("data", "state.db"));
  back.pragma(`user_version = ${version}`);
  back.close();
  store = await open();
  expect(farmOn(store).core.zones.list()).toMatchObject([{ name: "House" }]);
});

// @proves farm.storage.batch
test("all polls of 100 ms are one commit, and nothing waits for longer", async () => {
  const farm = farmOn(store);
  const ids: number[] = [];
  for (let n = 0; n < 20; n++) ids.push((await farm.core.book.create(soilProbe(NOWHERE), "anna")).id);
  const onDisk = (): number => look("history.db", (db) => Number(db.prepare("SELECT count(*) FROM raw").pluck().get()));
  for (const id of ids) poll(farm, id, 20);
  await clock.advance(millis(50));
  for (const id of ids) poll(farm, id, 21);
  expect(onDisk()).toBe(0); // what a crash at this moment would lose
  await clock.advance(millis(50));
  await expect.poll(onDisk).toBe(20 * 3 * 2);
  await expect.poll(() => store.counters().history).toMatchObject({ batches: 1, written: 120 });
  poll(farm, ids[0] ?? 0, 22);
  await clock.advance(millis(100));
  await expect.poll(onDisk).toBe(123);
  await expect.poll(() => store.counters().history.batches).toBe(2);
});

// @proves farm.storage.audit-retention
test("what was done a year ago is still on record", async () => {
  await farmOn(store).core.zones.create({ name: "House" }, "anna");
  for (const month of Array.from({ length: 12 }, (_, n) => n)) {
    await clock.advance(days(31));
    await farmOn(store).core.zones.create({ name: `Zone ${month}` }, "ben");
  }
  await store.close();
  store = await open(); // a start drops what is too old
  await farmOn(store).core.zones.create({ name: "Last" }, "ben");
  const records = store.ledger.records("audit").filter(({ kind }) => kind === "farm.zone.created");
  expect(records).toHaveLength(14);
  expect(clock.now() - (records[0]?.at ?? 0)).toBeGreaterThan(days(365));
});
