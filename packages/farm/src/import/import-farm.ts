import type { AccountsImported, Clock, ImportedAccount, Journal, Ledger } from "@steading/kernel";
import { loadTables, type RowChange, type Tables } from "../model/tables.ts";
import type { FarmRows, TableName } from "../model/rows.ts";
import { importError } from "./import-errors.ts";
import { importReadings, type ImportHistory } from "./import-readings.ts";
import { createTableAccount, type TableReport } from "./import-report.ts";
import type { ImportSource } from "./import-source.ts";
import { readHappenings } from "./read-happenings.ts";
import { readPeople, type Person } from "./read-people.ts";
import { readPlaces } from "./read-places.ts";
import { readPrograms } from "./read-programs.ts";
import { readPreferences, readSetUp } from "./read-set-up.ts";
import type { ReadTable } from "./read-table.ts";

export interface FarmImportDeps {
  readonly source: ImportSource;
  /** What the import goes into; absent for a look, which changes nothing. */
  readonly target?:
    | {
        readonly ledger: Pick<Ledger, "get" | "list">;
        readonly journal: Pick<Journal, "commit" | "record">;
        readonly history: ImportHistory;
        readonly accounts: {
          importAccounts(accounts: readonly ImportedAccount[]): Promise<AccountsImported>;
          find(name: string): { readonly id: number } | undefined;
        };
      }
    | undefined;
  /** Looks and reports, also where there is a target. */
  readonly dryRun: boolean;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
  readonly progress?:
    | ((step: { readonly table: string; readonly done: number; readonly of: number }) => void)
    | undefined;
}

export interface FarmImportReport {
  readonly dryRun: boolean;
  readonly tables: readonly TableReport[];
  /** Tables with rows for which this hub has no place. */
  readonly left: readonly { readonly table: string; readonly rows: number }[];
}

/** Every table that is taken. Whoever logs in on the old hub logs in anew on this one, so sessions are not. */
const TAKEN = [
  ...["users", "user_preferences", "zones", "equipment", "equipment_zones", "readings", "relay_events"],
  ...["automation_templates", "automations", "automation_logs", "alerts", "equipment_errors", "watchdog_events"],
  ...["device_templates", "system_settings"],
];

/** Settings, preferences and what the watchdog saw may be there: a hub that has run writes them by itself. */
const FARM_TABLES: readonly TableName[] = [
  ...(["zones", "equipment", "alerts", "automations", "automation_logs", "relay_events"] as const),
  ...(["equipment_errors", "device_templates", "automation_templates"] as const),
];

/**
 * Takes over the database of a SenseHub. People first, then readings, then every row of the farm in one commit: an import
 * that is cut short leaves an empty farm, and the next one begins again without doubling anything.
 */
export async function importFarm(deps: FarmImportDeps): Promise<FarmImportReport> {
  const { source, dryRun, clock, signal, progress = () => {} } = deps;
  if (!source.tables.includes("equipment")) throw importError("NOT_A_FARM", "There is no table of equipment in it.");
  const tables = deps.target && loadTables(deps.target);
  if (tables) refuseFarm(tables);
  const target = dryRun ? undefined : deps.target;

  const now = clock.now();
  const people = readPeople(source);
  const names = new Map(people.rows.map(({ id, name }) => [id, name.toLowerCase()]));
  const places = readPlaces(source, now);
  const programs = readPrograms(source, now);
  const settingsThere = new Set(tables?.all("system_settings").map(({ key }) => key));
  const setUp = readSetUp(source, { now, settingsThere });
  const equipment = new Set(places.equipment.map(({ id }) => id));
  const happenings = readHappenings(source, {
    equipment,
    zones: new Set(places.zones.map(({ id }) => id)),
    automations: new Set(programs.automations.map(({ id }) => id)),
    watchdogThere: (tables?.all("watchdog_events").length ?? 0) > 0,
    userName: (id) => names.get(id) ?? `sensehub-user-${id}`,
  });

  const accounts = await takePeople(people, target?.accounts);
  const preferences = readPreferences(source, (user) => {
    const id = accounts.idOf(user);
    if (id === undefined) return "no account";
    return tables?.get("user_preferences", id) ? "set here" : id;
  });
  const of = source.tables.includes("readings") ? source.count("readings") : 0;
  const readings = await importReadings({
    source,
    equipment,
    history: target?.history,
    now,
    signal,
    progress: (done) => progress({ table: "readings", done, of }),
  });

  const reports = [
    ...[accounts.report, preferences.report(), ...places.reports, readings],
    ...[...programs.reports, ...happenings.reports, ...setUp.reports],
  ];
  if (target && tables) {
    let settingId = tables.lastId("system_settings");
    const settings = setUp.settings.map((row) => ({ id: (settingId += 1), ...row }));
    const rows = [
      ...puts("zones", places.zones),
      ...puts("equipment", places.equipment),
      ...puts("automation_templates", programs.templates),
      ...puts("automations", programs.automations),
      ...puts("automation_logs", programs.logs),
      ...puts("alerts", happenings.alerts),
      ...puts("relay_events", happenings.relayEvents),
      ...puts("equipment_errors", happenings.errors),
      ...puts("watchdog_events", happenings.watchdog),
      ...puts("device_templates", setUp.deviceTemplates),
      ...puts("system_settings", settings),
      ...puts("user_preferences", preferences.rows),
    ];
    const counts = Object.fromEntries(reports.map(({ table, taken }) => [table, taken]));
    await tables.takeOver(rows, lastIds(source, rows), { kind: "farm.imported", by: "local", data: { rows: counts } });
  }
  return { dryRun, tables: reports, left: leftOut(source) };
}

/** Numbers name things for ever, in the history too; two farms in one would mix what belongs to different things. */
function refuseFarm(tables: Tables): void {
  const there = FARM_TABLES.filter((table) => tables.all(table).length > 0);
  if (there.length > 0) {
    const [first = "zones"] = there;
    throw importError("FARM_NOT_EMPTY", `There is a farm here already: ${tables.all(first).length} ${first}.`);
  }
  if (tables.lastId("equipment") > 0) {
    throw importError("FARM_NOT_EMPTY", "There was a farm here; its history keeps the numbers of its equipment.");
  }
}

async function takePeople(
  people: ReadTable<Person>,
  accounts: NonNullable<FarmImportDeps["target"]>["accounts"] | undefined,
): Promise<{ readonly report: TableReport; idOf(sourceId: number): number | undefined }> {
  const ids = new Map(people.rows.map(({ id }) => [id, id]));
  if (!accounts) return { report: people.report(), idOf: (id) => ids.get(id) };
  const { imported, skipped } = await accounts.importAccounts(people.rows);
  const refused = new Map(skipped.map(({ name, reason }) => [name, reason]));
  const byName = new Map(imported.map((account) => [account.name, account]));
  const account = createTableAccount("users");
  for (const { id, name } of people.rows) {
    const made = byName.get(name.toLowerCase());
    const own = (made ?? accounts.find(name))?.id;
    if (own === undefined) ids.delete(id);
    else ids.set(id, own);
    if (!made) {
      account.skip(
        id,
        own === undefined ? (refused.get(name) ?? "it could not be taken") : "there is such an account already",
      );
      continue;
    }
    account.took();
    if (made.id !== id) account.note(id, "its number was taken here, so that it has another one");
  }
  const before = people.report();
  const after = account.report(before.found);
  return { report: { ...after, skipped: [...before.skipped, ...after.skipped] }, idOf: (id) => ids.get(id) };
}

function puts<T extends TableName>(table: T, rows: readonly FarmRows[T][]): RowChange[] {
  return rows.map((put) => ({ table, put }) as RowChange); // a row goes into the table of its kind
}

/** Also the numbers of rows that are gone: on the old hub they named something else. */
function lastIds(source: ImportSource, rows: readonly RowChange[]): Partial<Record<TableName, number>> {
  const last: Partial<Record<TableName, number>> = {};
  for (const table of [...FARM_TABLES, "watchdog_events"] as const) {
    last[table] = source.tables.includes(table) ? source.lastId(table) : 0;
  }
  for (const row of rows) if ("put" in row) last[row.table] = Math.max(last[row.table] ?? 0, row.put.id);
  return last;
}

function leftOut(source: ImportSource): FarmImportReport["left"] {
  return source.tables
    .filter((table) => !TAKEN.includes(table))
    .map((table) => ({ table, rows: source.count(table) }))
    .filter(({ rows }) => rows > 0);
}
