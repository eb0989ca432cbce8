import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import type { Alerts } from "./alerts.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Settings } from "./settings.ts";
import { SEVERITIES, type Equipment } from "./rows.ts";
import type { Zones } from "./zones.ts";

/** What was found out about one condition. `met` is null when nobody can tell: no reading, or one that is too old. */
export interface Judged {
  readonly met: boolean | null;
  readonly actual: Json;
  readonly reason?: string;
  readonly condition: Json;
}

export interface ConditionDeps {
  readonly book: EquipmentBook;
  readonly zones: Zones;
  readonly alerts: Alerts;
  readonly settings: Pick<Settings, "get">;
  readonly now: () => number;
  readonly armed: () => boolean;
  /** Whose metric a bare name means. */
  readonly equipmentId?: number | undefined;
}

const MOST_DEPTH = 4;
const LEAST_AGE = 60_000;

/** All of them together: AND needs every one to be known and true, OR one. An empty list is met. */
export function judgeAll(
  conditions: readonly Json[],
  logic: "AND" | "OR",
  deps: ConditionDeps,
  depth = 1,
): { readonly met: boolean; readonly judged: readonly Judged[] } {
  const judged = conditions.map((condition) => judge(condition, deps, depth));
  const isMet = ({ met }: Judged): boolean => met === true;
  return { met: judged.length === 0 || (logic === "OR" ? judged.some(isMet) : judged.every(isMet)), judged };
}

function judge(condition: Json, deps: ConditionDeps, depth: number): Judged {
  const unknown = (reason: string): Judged => ({ met: null, actual: null, reason, condition });
  if (!isJsonObject(condition)) return unknown("a condition must be an object");
  const { logic, conditions, field, operator, value = null } = condition;
  if (Array.isArray(conditions)) {
    if (depth >= MOST_DEPTH) return unknown("nested too deeply");
    const inside = judgeAll(conditions as readonly Json[], logic === "OR" ? "OR" : "AND", deps, depth + 1);
    // What nobody knows does not become true by being turned round.
    if (logic === "NOT" && inside.judged.some(({ met }) => met === null)) return unknown("unknown inside NOT");
    return { met: logic === "NOT" ? !inside.met : inside.met, actual: null, condition };
  }
  if (typeof field !== "string") return unknown("a condition needs a field");
  if (field === "time") return { met: isWithin(clockTime(deps), asText(value)), actual: clockTime(deps), condition };
  const found = lookUp(field, deps);
  if ("reason" in found) return unknown(found.reason);
  const met = compare(found.value, typeof operator === "string" ? operator : "eq", value);
  return met === undefined ? unknown("the operator is not known") : { met, actual: found.value, condition };
}

type Found = { readonly value: Json } | { readonly reason: string };

function lookUp(field: string, deps: ConditionDeps): Found {
  const { book, alerts, armed, equipmentId } = deps;
  if (field === "armed") return { value: armed() };
  if (field === "weekday") return { value: weekday(deps) };
  const [, kind, id, rest] = /^(equipment|relay|zone|alert):([^.]+)(?:\.(.+))?$/.exec(field) ?? [];
  switch (kind) {
    case "alert": {
      const severity = SEVERITIES.find((each) => each === id);
      return severity
        ? { value: alerts.list({ severity, cleared: false }).length }
        : { reason: "the severity is not known" };
    }
    case "relay": {
      const equipment = book.find(Number(id));
      const on = equipment && book.state(equipment.id).channels.get(Number(rest))?.on;
      return typeof on === "boolean" ? { value: on } : { reason: `stale:${field}` };
    }
    case "equipment":
      return metricOf(book.find(Number(id)), rest ?? "", deps);
    case "zone":
      return zoneValue(id ?? "", rest ?? "", deps);
    default:
      return metricOf(equipmentId === undefined ? undefined : book.find(equipmentId), field, deps);
  }
}

/** By its exact name, then in any case, then as part of a name if only one has it. */
function metricOf(equipment: Equipment | undefined, name: string, { book, now }: ConditionDeps): Found {
  if (!equipment) return { reason: "the equipment is not known" };
  const { metrics } = book.state(equipment.id);
  const wanted = name.toLowerCase();
  const names = [...metrics.keys()];
  const partly = names.filter((each) => each.toLowerCase().includes(wanted));
  const key =
    names.find((each) => each === name) ??
    names.find((each) => each.toLowerCase() === wanted) ??
    (partly.length === 1 ? partly[0] : undefined);
  const metric = key === undefined ? undefined : metrics.get(key);
  const oldest = Math.max(3 * equipment.polling_interval_ms, LEAST_AGE);
  if (metric?.quality !== "good" || metric.value === null || now() - metric.at > oldest) {
    return { reason: `stale:${name}` };
  }
  return { value: metric.value };
}

function zoneValue(zone: string, rest: string, deps: ConditionDeps): Found {
  const [, metric = "", how = "avg"] = /^(.+)\.(avg|min|max)$/.exec(rest) ?? [];
  const within = deps.zones.within(zone);
  const values = deps.book
    .list()
    .filter(({ zone_ids }) => zone_ids.some((id) => within.has(id)))
    .flatMap((equipment) => {
      const found = metricOf(equipment, metric, deps);
      return "value" in found && typeof found.value === "number" ? [found.value] : [];
    });
  if (values.length === 0) return { reason: `stale:${rest}` };
  if (how === "min") return { value: Math.min(...values) };
  return { value: how === "max" ? Math.max(...values) : values.reduce((sum, each) => sum + each, 0) / values.length };
}

/** As numbers when both are some, else as text. Undefined: the operator is not known. */
export function compare(actual: Json, operator: string, wanted: Json): boolean | undefined {
  const [a, b] = [Number(asText(actual)), Number(asText(wanted))];
  const areNumbers = asText(actual) !== "" && asText(wanted) !== "" && !Number.isNaN(a) && !Number.isNaN(b);
  const order = areNumbers ? a - b : asText(actual).localeCompare(asText(wanted));
  switch (operator) {
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
    case "eq":
      return order === 0;
    case "neq":
      return order !== 0;
    default:
      return undefined;
  }
}

function asText(value: Json): string {
  return typeof value === "string" ? value.trim() : JSON.stringify(value);
}

function zoneName({ settings }: Pick<ConditionDeps, "settings">): string | undefined {
  const kept = settings.get("timezone");
  const name = kept !== undefined && isJsonObject(kept) ? (kept as JsonObject)["timezone"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function clockTime(deps: ConditionDeps): string {
  const timeZone = zoneName(deps);
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone }).format(
    deps.now(),
  );
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function weekday(deps: ConditionDeps): number {
  const timeZone = zoneName(deps);
  return DAYS.indexOf(new Intl.DateTimeFormat("en-US", { weekday: "short", timeZone }).format(deps.now()));
}

/** `06:00-18:30`, or `22:00-05:00` over midnight. Null: not a range. */
function isWithin(time: string, range: string): boolean | null {
  const [, from, to] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(range.trim()) ?? [];
  if (from === undefined || to === undefined) return null;
  return from <= to ? time >= from && time <= to : time >= from || time <= to;
}
