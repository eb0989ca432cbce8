import {
  createJournal,
  createManualClock,
  createMemoryLedger,
  silentLog,
  type ImportedAccount,
} from "@steading/kernel";
import { expect, test } from "vitest";
import { metricPath } from "../model/farm-history.ts";
import { loadTables } from "../model/tables.ts";
import { createMemoryHistory } from "../testing/memory-history.ts";
import { importFarm, type FarmImportDeps } from "./import-farm.ts";
import type { ImportSource, SourceRow } from "./import-source.ts";

const AT = "2026-03-01 12:00:00";
const AT_MS = Date.UTC(2026, 2, 1, 12);

/** Tables as plain rows; the real file is tried where the command is. */
function sourceOf(tables: Readonly<Record<string, readonly SourceRow[]>>): ImportSource {
  return {
    tables: ["equipment", ...Object.keys(tables).filter((table) => table !== "equipment")],
    count: (table) => tables[table]?.length ?? 0,
    rows: (table) => tables[table] ?? [],
    lastId: () => 0,
  };
}

function createTarget() {
  const clock = createManualClock(AT_MS + 1_000);
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const history = createMemoryHistory();
  const people: ImportedAccount[] = [];
  const accounts = {
    importAccounts(given: readonly ImportedAccount[]) {
      people.push(...given);
      return Promise.resolve({ imported: [], skipped: given.map(({ name }) => ({ name, reason: "not here" })) });
    },
    find: () => undefined,
  };
  return { clock, ledger, journal, history, people, accounts };
}
type Target = ReturnType<typeof createTarget>;

function run(source: ImportSource, target: Target, more: Partial<FarmImportDeps> = {}) {
  const { clock } = target;
  return importFarm({ source, target, dryRun: false, clock, signal: new AbortController().signal, ...more });
}

const relays = { id: 3, name: "Relays", type: "relay", register_mappings: "[]" };
const reading = (id: number, timestamp: string, value: number | string = 1): SourceRow => ({
  id,
  equipment_id: 3,
  name: "flow",
  value,
  unit: "l",
  timestamp,
});

test("both forms of time are the same instant, and what is of one moment is told", async () => {
  const target = createTarget();
  const rows = [
    reading(1, AT, 1),
    reading(2, "2026-03-01T12:00:00.000Z", 2),
    reading(3, "2026-03-01T16:00:01+04:00", 3),
  ];
  const { tables } = await run(sourceOf({ equipment: [relays], readings: rows }), target);
  const { readings } = await target.history.range({ path: metricPath(3, "flow"), from: 0, to: Infinity });
  expect(readings.map(({ at, value }) => [at - AT_MS, value])).toEqual([
    [0, 2],
    [1_000, 3],
  ]);
  expect(tables.find(({ table }) => table === "readings")).toMatchObject({
    taken: 3,
    notes: [{ rows: 1, examples: [2] }],
  });
});

test("only the newest rows of a table that is bounded are taken, and the rest is told", async () => {
  const target = createTarget();
  const events = Array.from({ length: 45_000 }, (_, n) => ({
    id: n + 1,
    equipment_id: 3,
    channel: 0,
    state: n % 2,
    source: "manual",
    created_at: AT,
  }));
  const { tables } = await run(sourceOf({ equipment: [relays], relay_events: events }), target);
  expect(tables.find(({ table }) => table === "relay_events")).toMatchObject({
    found: 45_000,
    taken: 20_000,
    skipped: [{ rows: 25_000 }],
  });
  const kept = loadTables(target).all("relay_events");
  expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([20_000, 25_001, 45_000]);
});

// @proves farm.storage.one-transaction
test("all rows and their record are one commit, and a stopped import leaves an empty farm that takes the next one", async () => {
  const target = createTarget();
  const source = sourceOf({
    equipment: [relays],
    zones: [{ id: 9, name: "House" }],
    equipment_zones: [{ equipment_id: 3, zone_id: 9 }],
    readings: Array.from({ length: 25_000 }, (_, n) => reading(n + 1, new Date(AT_MS - n * 1_000).toISOString())),
  });
  const stopping = new AbortController();
  const stopped = run(source, target, { signal: stopping.signal, progress: () => stopping.abort() });
  await expect(stopped).rejects.toMatchObject({ code: "IMPORT_STOPPED" });
  expect(target.ledger.list("farm.equipment")).toEqual([]);
  expect(target.ledger.lastSeq("audit")).toBe(0);

  await run(source, target);
  const revisions = ["farm.equipment", "farm.zones", "farm.ids"].flatMap((space) =>
    target.ledger.list(space).map(({ entry }) => entry.revision),
  );
  expect(new Set(revisions).size).toBe(1);
  expect(target.ledger.records("audit")).toMatchObject([
    { kind: "farm.imported", data: { by: "local", rows: { equipment: 1, zones: 1, readings: 25_000 } } },
  ]);
  expect(loadTables(target).get("equipment", 3)).toMatchObject({ zone_ids: [9] });
  await expect(run(source, target)).rejects.toMatchObject({ code: "FARM_NOT_EMPTY" });
});

test("a look into a farm that is not empty is refused as the import would be, and changes nothing", async () => {
  const target = createTarget();
  const source = sourceOf({ equipment: [relays], readings: [reading(1, AT)] });
  const look = await run(source, target, { dryRun: true });
  expect(look.tables.find(({ table }) => table === "readings")).toMatchObject({ taken: 1 });
  expect(target.history.latest(metricPath(3, "flow"))).toBeUndefined();
  expect(target.people).toEqual([]);
  await loadTables(target).commit([{ table: "zones", put: zone(1) }]);
  await expect(run(source, target, { dryRun: true })).rejects.toMatchObject({ code: "FARM_NOT_EMPTY" });
});

test("a farm whose equipment was deleted is not empty: its history has the numbers", async () => {
  const target = createTarget();
  const source = sourceOf({ equipment: [relays] });
  await run(source, target);
  await loadTables(target).clearAll({ kind: "farm.factory-reset", by: "anna", data: {} });
  await expect(run(source, target)).rejects.toThrow("There was a farm here");
});

test("a database without equipment is no farm", async () => {
  const source = { ...sourceOf({}), tables: ["recipes"] };
  await expect(run(source, createTarget())).rejects.toMatchObject({ code: "NOT_A_FARM" });
});

function zone(id: number) {
  return { id, name: "House", description: null, parent_id: null, created_at: 0, updated_at: 0 };
}
