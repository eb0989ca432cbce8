import type { Json, JsonObject, Journal, Ledger } from "@steading/kernel";
import { auditedChanges } from "./audited-changes.ts";
import { COLUMNS, type FarmRows, type TableName } from "./rows.ts";

export type RowChange =
  | { readonly [T in TableName]: { readonly table: T; readonly put: FarmRows[T] } }[TableName]
  | { readonly table: TableName; readonly delete: number };

/** Who did what, for the audit. */
export interface Deed {
  readonly kind: string;
  readonly by: string;
  readonly correlation?: string;
  readonly data: JsonObject;
}

/** The farm's rows: all of them in memory, each change in one commit together with its record. */
export interface Tables {
  get<T extends TableName>(table: T, id: number): FarmRows[T] | undefined;
  /** In the order of their ids. */
  all<T extends TableName>(table: T): readonly FarmRows[T][];
  /** Rises, and is never given twice, not even after a delete or a restart. */
  nextId(table: TableName): number;
  /** The highest number that was ever given out. */
  lastId(table: TableName): number;
  /** Rows of another hub, with their numbers; the next ones come behind `lastIds`. All in one commit. */
  takeOver(
    rows: readonly RowChange[],
    lastIds: Readonly<Partial<Record<TableName, number>>>,
    deed: Deed,
  ): Promise<void>;
  /** Visible at once and on disk with the row's next commit: for counters that a crash may set back. */
  touch<T extends TableName>(table: T, row: FarmRows[T]): void;
  /** Visible at once; resolves when it is on disk. What could not be written is taken back. */
  commit(changes: readonly RowChange[], deed?: Deed): Promise<void>;
  /** Deletes every row of every table. Numbers go on where they were. */
  clearAll(deed: Deed): Promise<void>;
}

const SPACE = "farm.";
const IDS = "farm.ids";
/** Tables that only grow: the oldest rows go. Everything else is bounded by what people configure. */
export const MOST_ROWS: Partial<Record<TableName, number>> = {
  relay_events: 20_000,
  automation_logs: 10_000,
  alerts: 20_000,
  equipment_errors: 10_000,
  watchdog_events: 10_000,
};
const PAGE = 1_000;
const NAMES = Object.keys(COLUMNS) as TableName[]; // the keys of a record of table names
/** Templates that come with the hub have the numbers up to here. */
const SYSTEM_IDS = 100;
const FIRST_IDS: Partial<Record<TableName, number>> = {
  device_templates: SYSTEM_IDS,
  automation_templates: SYSTEM_IDS,
};

type AnyRow = FarmRows[TableName];

export function loadTables({
  ledger,
  journal,
}: {
  readonly ledger: Pick<Ledger, "get" | "list">;
  readonly journal: Pick<Journal, "commit" | "record">;
}): Tables {
  const rows = new Map<TableName, Map<number, AnyRow>>();
  const lastIds = new Map<TableName, number>();
  for (const table of NAMES) {
    rows.set(table, load(ledger, table));
    const last = ledger.get(IDS, table)?.value;
    lastIds.set(table, typeof last === "number" ? last : (FIRST_IDS[table] ?? 0));
  }
  const rowsOf = (table: TableName): Map<number, AnyRow> => rows.get(table) ?? new Map<number, AnyRow>();

  /** The oldest rows of a table that would grow beyond its bound. */
  function surplus(changes: readonly RowChange[]): readonly RowChange[] {
    return Object.entries(MOST_ROWS).flatMap(([name, most]) => {
      const table = name as TableName; // the keys of a record of table names
      const adds = changes.filter((each) => each.table === table && "put" in each && !rowsOf(table).has(each.put.id));
      const over = rowsOf(table).size + adds.length - most;
      return over <= 0 ? [] : [...rowsOf(table).keys()].slice(0, over).map((id) => ({ table, delete: id }));
    });
  }

  /** As they were, and as they are by the time of the commit. */
  const audited = (before: readonly { table: TableName; id: number; row: AnyRow | undefined }[]): JsonObject =>
    auditedChanges(before.map(({ table, id, row }) => ({ table, id, before: row, after: rowsOf(table).get(id) })));

  const store: Tables & {
    commit(changes: readonly RowChange[], deed?: Deed, counted?: readonly TableName[]): Promise<void>;
  } = {
    // A table holds rows of its own kind only: `commit` is the one way in, and its changes pair the two.
    get: <T extends TableName>(table: T, id: number) => rowsOf(table).get(id) as FarmRows[T] | undefined,
    all: <T extends TableName>(table: T) => [...rowsOf(table).values()] as FarmRows[T][],
    nextId(table) {
      const id = (lastIds.get(table) ?? 0) + 1;
      lastIds.set(table, id);
      return id;
    },
    lastId: (table) => lastIds.get(table) ?? 0,
    async takeOver(changes, behind, deed) {
      for (const [name, last] of Object.entries(behind)) {
        const table = name as TableName; // the keys of a record of table names
        lastIds.set(table, Math.max(lastIds.get(table) ?? 0, last));
      }
      await store.commit(changes, deed, NAMES);
    },
    touch: (table, row) => void rowsOf(table).set(row.id, row),
    async commit(asked, deed, counted: readonly TableName[] = []) {
      const changes = [...asked, ...surplus(asked)];
      const before = changes.map(({ table, ...change }) => {
        const id = "put" in change ? change.put.id : change.delete;
        return { table, id, row: rowsOf(table).get(id) };
      });
      for (const change of changes) {
        if ("put" in change) rowsOf(change.table).set(change.put.id, change.put);
        else rowsOf(change.table).delete(change.delete);
      }
      try {
        await journal.commit({
          durability: "fixed",
          puts: [
            ...changes.flatMap((change) =>
              "put" in change
                ? [{ space: SPACE + change.table, key: keyOf(change.put.id), value: change.put as unknown as Json }]
                : [],
            ),
            ...[...new Set([...counted, ...changes.map(({ table }) => table)])].map((table) => ({
              space: IDS,
              key: table,
              value: lastIds.get(table) ?? 0,
            })),
          ],
          deletes: changes.flatMap((change) =>
            "put" in change ? [] : [{ space: SPACE + change.table, key: keyOf(change.delete) }],
          ),
          records: deed ? [journal.record("audit", recordOf(deed, audited(before.slice(0, asked.length))))] : [],
        });
      } catch (error) {
        for (const { table, id, row } of before) {
          if (row) rowsOf(table).set(id, row);
          else rowsOf(table).delete(id);
        }
        throw error;
      }
    },
    async clearAll(deed) {
      const changes = NAMES.flatMap((table) => [...rowsOf(table).keys()].map((id) => ({ table, delete: id })));
      for (let done = 0; done < changes.length; done += PAGE) await store.commit(changes.slice(done, done + PAGE));
      await store.commit([], deed);
    },
  };
  return store;
}

function recordOf({ kind, by, correlation, data }: Deed, changed: JsonObject) {
  return { kind, ...(correlation === undefined ? {} : { correlation }), data: { ...data, ...changed, by } };
}

/** So that the ledger's order of text is the order of numbers. */
function keyOf(id: number): string {
  return String(id).padStart(12, "0");
}

function load(ledger: Pick<Ledger, "list">, table: TableName): Map<number, AnyRow> {
  const found = new Map<number, AnyRow>();
  for (let after: string | undefined; ;) {
    const page = ledger.list(SPACE + table, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { entry } of page) {
      // Only `commit` writes into this space, so what comes out is what went in.
      const row = entry.value as unknown as AnyRow;
      found.set(row.id, row);
    }
    after = page.at(-1)?.key;
    if (page.length < PAGE) return found;
  }
}
