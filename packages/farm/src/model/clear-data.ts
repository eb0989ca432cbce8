import { farmError } from "../farm-errors.ts";
import type { EquipmentErrors } from "./equipment-errors.ts";
import type { TableName } from "./rows.ts";
import type { Tables } from "./tables.ts";

export const CLEAR_TARGETS = [
  "alerts",
  "automation-logs",
  "equipment-errors",
  "readings",
  "lab-readings",
  "relay-events",
  "watchdog-events",
  "sync-queue",
  "watchdog-cooldowns",
] as const;
export type ClearTarget = (typeof CLEAR_TARGETS)[number];

const TABLES: Partial<Record<ClearTarget, TableName>> = {
  alerts: "alerts",
  "automation-logs": "automation_logs",
  "equipment-errors": "equipment_errors",
  "relay-events": "relay_events",
  "watchdog-events": "watchdog_events",
};
/** Deleted in one commit at most; the rest of a large table follows in others. */
const BATCH = 1_000;

/** Deletes what was kept about the past, all of it or what is older than an instant. Returns how many rows that were. */
export async function clearData(
  target: ClearTarget,
  { before, by }: { readonly before?: number | undefined; readonly by: string },
  { tables, equipmentErrors }: { readonly tables: Tables; readonly equipmentErrors: EquipmentErrors },
): Promise<number> {
  const table = TABLES[target];
  if (table === undefined) {
    const why =
      target === "readings"
        ? "Readings cannot be deleted by hand; they go when their time is over."
        : `This hub keeps no ${target}.`;
    throw farmError("NOT_AVAILABLE", why, { details: { target } });
  }
  const old = tables.all(table).filter((row) => before === undefined || timeOf(row) < before);
  for (let done = 0; done < old.length; done += BATCH) {
    const batch = old.slice(done, done + BATCH).map(({ id }) => ({ table, delete: id }));
    const data = { target, rows: batch.length };
    await tables.commit(batch, { kind: "farm.data.cleared", by, data });
  }
  if (table === "equipment_errors") equipmentErrors.recount();
  return old.length;
}

function timeOf(row: object): number {
  if ("created_at" in row && typeof row.created_at === "number") return row.created_at;
  return "triggered_at" in row && typeof row.triggered_at === "number" ? row.triggered_at : Infinity;
}
