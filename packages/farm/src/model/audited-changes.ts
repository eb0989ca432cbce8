import type { Json, JsonObject } from "@steading/kernel";
import { masked } from "./secret-values.ts";

export interface AuditedChange {
  readonly table: string;
  readonly id: number;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/** One deed rarely touches more; what touches thousands (a clean-up, an import) says how many. */
const MOST_SHOWN = 20;
/** Characters of one value. A board's mappings can be longer than everything else of a year. */
const LONGEST = 4_000;

/** What a deed changed, for its record: of each row the members that differ, as they were and as they are. */
export function auditedChanges(changes: readonly AuditedChange[]): JsonObject {
  if (changes.length === 0) return {};
  if (changes.length > MOST_SHOWN) return { changed_rows: changes.length };
  return { changes: changes.map(shown) };
}

function shown({ table, id, before, after }: AuditedChange): JsonObject {
  const was = plain(before);
  const is = plain(after);
  const differs = (name: string): boolean => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]);
  const pick = (row: JsonObject | undefined): Json =>
    row === undefined
      ? null
      : Object.fromEntries(
          Object.keys(row)
            .filter(differs)
            .map((name) => [name, member(row, name)]),
        );
  return { target: `${table}/${id}`, before: pick(was), after: pick(is) };
}

function plain(row: object | undefined): JsonObject | undefined {
  return row as JsonObject | undefined; // rows are JSON: the ledger keeps them as they are
}

/** A setting's value is a secret by its key, which is another member of the row. */
function member(row: JsonObject, name: string): Json {
  const { key } = row;
  const value = masked(name === "value" && typeof key === "string" ? key : name, row[name] ?? null);
  const length = JSON.stringify(value).length;
  return length > LONGEST ? { cut: length } : value;
}
