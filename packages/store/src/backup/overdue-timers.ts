import { isJsonObject, type Json, type Ledger } from "@steading/kernel";

/**
 * What the store knows of an entry in a space of timers: when it is due, and which way it acts. Everything else in it is
 * its part's own business.
 */
export interface TimerEntry {
  /** Epoch milliseconds. */
  readonly dueAt: number;
  /** Only `safe` survives a restore that came too late for it; what says nothing counts as live. */
  readonly toward?: "safe" | "live";
}

/** A commit deletes at most so many, far below what one commit may hold. */
const AT_ONCE = 5_000;

/** Declared spaces that hold timers: those whose name ends in `timers`. */
export function timerSpaces(declared: Iterable<string>): string[] {
  return [...declared].filter((space) => space === "timers" || space.endsWith(".timers"));
}

/**
 * Drops every live timer that fell due up to `now`. After a restore nobody knows what happened to its pump or valve in
 * the meantime; switching it on late, for a reason that is past, is worse than not switching it on.
 */
export async function dropOverdueTimers({
  ledger,
  spaces,
  now,
}: {
  readonly ledger: Ledger;
  readonly spaces: readonly string[];
  readonly now: number;
}): Promise<number> {
  let dropped = 0;
  for (const space of spaces) {
    const overdue = overdueKeys(ledger, space, now);
    for (let at = 0; at < overdue.length; at += AT_ONCE) {
      const deletes = overdue.slice(at, at + AT_ONCE).map((key) => ({ space, key }));
      await ledger.commit({ durability: "fixed", deletes });
    }
    dropped += overdue.length;
  }
  return dropped;
}

function overdueKeys(ledger: Ledger, space: string, now: number): string[] {
  const overdue: string[] = [];
  for (let page = ledger.list(space); page.length > 0; page = ledger.list(space, { after: page.at(-1)?.key ?? "" })) {
    for (const { key, entry } of page) if (isOverdue(entry.value, now)) overdue.push(key);
  }
  return overdue;
}

function isOverdue(value: Json, now: number): boolean {
  if (!isJsonObject(value)) return false;
  const { dueAt, toward } = value;
  return typeof dueAt === "number" && dueAt <= now && toward !== "safe";
}
