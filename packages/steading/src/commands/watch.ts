import { isJsonObject, SteadingError, type Json, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { withHub, type HubAddress, type HubClient } from "../local/hub-client.ts";
import type { World } from "../world.ts";
import { valueText } from "./query.ts";
import { cellText } from "./print-table.ts";

export interface WatchFlags extends HubAddress {
  readonly json?: true;
}

/** The watch tool takes no more at once. */
const MOST_PATHS = 50;
/** A change of quality alone ends no wait; it is seen when the wait is over. */
const ROUND_MS = 5_000;
/** Longer text comes back shortened and would never equal itself. */
const COMPARABLE_TEXT = 200;

/** One property as it was last printed. */
type Seen = Map<string, JsonObject>;

/** Prints a line for every change until the command is told to stop. */
export async function watch(paths: readonly string[], flags: WatchFlags, world: World): Promise<number> {
  try {
    await withHub(flags, world, async (hub) => {
      const seen: Seen = new Map();
      for (const path of await propertiesAt(hub, paths)) {
        const now = await hub.ask("get_property", { path });
        seen.set(path, now);
        print(path, now, flags, world);
      }
      while (!world.stop.aborted) await oneRound({ hub, seen, flags, world });
    });
  } catch (error) {
    if (!world.stop.aborted) throw error; // Ctrl-C cuts the wait short, and that is how this command ends
  }
  return EXIT.ok;
}

async function oneRound(round: {
  readonly hub: HubClient;
  readonly seen: Seen;
  readonly flags: WatchFlags;
  readonly world: World;
}): Promise<void> {
  const { hub, seen, flags, world } = round;
  // Compared with what was printed, so that a change between two rounds ends the next one at once.
  const conditions = [...seen].map(([path, { value }]) =>
    isComparable(value) ? { path, test: "notEquals", value } : { path, test: "changes" },
  );
  const answer = await hub.ask("watch", { conditions, timeoutMs: ROUND_MS });
  for (const now of asObjects(answer["conditions"])) {
    const path = cellText(now["path"]);
    const before = seen.get(path);
    if (before === undefined || isSame(before, now)) continue;
    const merged = { ...before, value: now["value"] ?? null, quality: now["quality"] ?? null };
    seen.set(path, merged);
    print(path, { ...merged, changedAt: now["changedAt"] ?? null }, flags, world);
  }
}

function isComparable(value: Json | undefined): value is number | boolean | string {
  return (
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && value.length <= COMPARABLE_TEXT)
  );
}

function isSame(before: JsonObject, now: JsonObject): boolean {
  return (
    JSON.stringify(before["value"] ?? null) === JSON.stringify(now["value"] ?? null) &&
    (before["quality"] ?? "good") === (now["quality"] ?? "good")
  );
}

/** The properties themselves; a subject stands for all it has. */
async function propertiesAt(hub: HubClient, paths: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    for (const property of await propertiesOf(hub, path)) found.add(property);
  }
  if (found.size > MOST_PATHS) {
    throw new SteadingError(
      "USAGE",
      `${found.size} properties are too many to watch at once; ${MOST_PATHS} are possible.`,
    );
  }
  return [...found];
}

async function propertiesOf(hub: HubClient, path: string): Promise<readonly string[]> {
  try {
    await hub.ask("get_property", { path });
    return [path];
  } catch (error) {
    if (!(error instanceof SteadingError) || error.code !== "NOT_A_PROPERTY") throw error;
  }
  const { subject } = await hub.ask("query", { path, depth: 0, includeProperties: true });
  const members = isJsonObject(subject) ? Object.entries(subject) : [];
  const own = members.filter(([key, member]) => !key.startsWith("$") && isJsonObject(member) && "value" in member);
  if (own.length === 0) throw new SteadingError("USAGE", `${path} has no properties of its own to watch.`);
  return own.map(([key]) => `${path === "/" ? "" : path}/${key}`);
}

function asObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function print(path: string, now: JsonObject, flags: WatchFlags, { stdout }: World): void {
  const { value = null, unit, quality, changedAt } = now;
  const at = typeof changedAt === "string" ? changedAt : new Date().toISOString();
  const line = { at, path, value, ...(unit && { unit }), ...(quality && { quality }) };
  stdout.write(flags.json ? `${JSON.stringify(line)}\n` : `${at}  ${path} = ${valueText(now)}\n`);
}
