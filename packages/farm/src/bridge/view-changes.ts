import { isJsonObject, type Json } from "@steading/kernel";
import type { FarmEvent } from "../model/farm-events.ts";
import type { CoreAlert } from "./alert-from-core.ts";
import type { CoreAutomation } from "./automation-from-core.ts";
import { toList } from "./core-values.ts";
import type { CoreEquipment } from "./equipment-from-core.ts";

type Seen<T> = ReadonlyMap<number, T>;

/** Columns that change while nobody configures anything. */
const LIVE = new Set([
  "status",
  "last_reading",
  "last_communication",
  "error_log",
  "updated_at",
  "last_watchdog_alert",
  "reading_age_seconds",
]);
const RUNS = new Set(["enabled", "last_run", "run_count", "updated_at", "last_watchdog_alert"]);

/** What must have happened to equipment between two looks. */
export function* equipmentChanges(before: Seen<CoreEquipment>, after: Seen<CoreEquipment>): Generator<FarmEvent> {
  for (const id of before.keys()) if (!after.has(id)) yield { kind: "equipment", change: "deleted", id };
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) {
      yield { kind: "equipment", change: "created", id };
      continue;
    }
    if (then.status !== now.status) yield { kind: "equipment", change: "status", id };
    if (differs(configured(then), configured(now))) yield { kind: "equipment", change: "updated", id };
    if (differs(states(then), states(now))) yield { kind: "relay", id, data: { equipmentId: id } };
    if (differs(read(then), read(now))) yield { kind: "reading", id, readings: [] };
  }
}

export function* automationChanges(before: Seen<CoreAutomation>, after: Seen<CoreAutomation>): Generator<FarmEvent> {
  for (const id of before.keys()) if (!after.has(id)) yield { kind: "automation", change: "deleted", id };
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) {
      yield { kind: "automation", change: "created", id };
      continue;
    }
    if (then.enabled !== now.enabled) yield { kind: "automation", change: now.enabled ? "enabled" : "disabled", id };
    if (differs(without(then.row, RUNS), without(now.row, RUNS))) yield { kind: "automation", change: "updated", id };
    // Between two looks only the end of a run can be seen.
    if (differs(runs(then), runs(now))) yield { kind: "automation", change: "ended", id };
  }
}

/** Of the alerts that nobody has acknowledged. */
export function* alertChanges(before: Seen<CoreAlert>, after: Seen<CoreAlert>): Generator<FarmEvent> {
  for (const id of before.keys()) if (!after.has(id)) yield { kind: "alert", change: "acknowledged", id };
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) yield { kind: "alert", change: "created", id };
    else if (!then.cleared && now.cleared) yield { kind: "alert", change: "cleared", id };
  }
}

function configured({ row }: CoreEquipment): Json {
  const { channels, ...rest } = without(row, LIVE);
  const named = toList(channels).map((each) => (isJsonObject(each) ? [each["channel"], each["label"]] : each));
  return { ...rest, channels: named as Json };
}

function states({ row }: CoreEquipment): Json {
  return toList(row["channels"]).map((each) => (isJsonObject(each) ? [each["channel"], each["state"]] : each)) as Json;
}

function read({ row }: CoreEquipment): Json {
  const reading = row["last_reading"];
  const values = isJsonObject(reading) ? (reading["values"] ?? null) : null;
  // The same value read again is a reading, too.
  return values === null ? null : [values, row["last_communication"] ?? null];
}

function runs({ row }: CoreAutomation): Json {
  return [row["last_run"] ?? null, row["run_count"] ?? null];
}

function without(row: CoreEquipment["row"], keys: ReadonlySet<string>): Record<string, Json> {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !keys.has(key)));
}

function differs(a: Json, b: Json): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
