import { millis, type Cancel, type Clock } from "@steading/kernel";
import type { Limits } from "../limits/limits.ts";
import { createPlaces } from "../limits/places.ts";

export interface Housed {
  readonly id: string;
  readonly principal: string;
  readonly openedAt: number;
  lastSeen: number;
  /** Answers and streams that are open; a session with any is not idle. */
  busy: number;
  /** Ends in `remove`. */
  end(): Promise<void>;
}

/** Which sessions there are, how many there may be, and which has to go. */
export interface SessionHouse<Session extends Housed> {
  /** A place for one more. Undefined: none is free. */
  take(principal: string): Promise<Cancel | undefined>;
  add(session: Session): void;
  get(id: string): Session | undefined;
  remove(id: string): void;
  readonly size: number;
  /** How many were ended because nobody used them. */
  readonly evicted: number;
  /** How many were ended to make room for another. */
  readonly gaveWay: number;
  close(): Promise<void>;
}

export function createSessionHouse<Session extends Housed>({
  clock,
  limits,
  giveWay,
}: {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "sessions" | "sessionsPerPrincipal" | "sessionIdle" | "sessionLifetime">;
  /** A full house makes room for a newcomer, instead of turning it away. */
  readonly giveWay: boolean;
}): SessionHouse<Session> {
  const sessions = new Map<string, Session>();
  const places = createPlaces({ total: limits.sessions, perPrincipal: limits.sessionsPerPrincipal });
  let evicted = 0;
  let gaveWay = 0;
  let sweep: Cancel | undefined;

  function evictIdle(): void {
    sweep = undefined;
    const now = clock.monotonic();
    let nextDue = Number.POSITIVE_INFINITY;
    for (const session of sessions.values()) {
      const idleAt = (session.busy > 0 ? now : session.lastSeen) + limits.sessionIdle;
      const due = Math.min(idleAt, session.openedAt + limits.sessionLifetime);
      if (due > now) {
        nextDue = Math.min(nextDue, due);
        continue;
      }
      evicted++;
      void session.end();
    }
    // At most one sweep a second, however many sessions fall due one after the other.
    if (sessions.size > 0 && nextDue < Number.POSITIVE_INFINITY) {
      sweep = clock.timer(millis(Math.max(1_000, nextDue - now)), evictIdle);
    }
  }

  /** A principal's own sessions make room for it first: nobody can push others out by opening many. */
  function nextToGo(principal: string): Session | undefined {
    const own = places.full(principal) === "principal";
    return [...sessions.values()].filter((session) => !own || session.principal === principal).toSorted(byUse)[0];
  }

  return {
    async take(principal) {
      while (giveWay && places.full(principal) !== undefined) {
        const next = nextToGo(principal);
        if (next === undefined) break;
        gaveWay++;
        sessions.delete(next.id);
        await next.end();
      }
      return places.take(principal);
    },
    add(session) {
      sessions.set(session.id, session);
      sweep ??= clock.timer(limits.sessionIdle, evictIdle);
    },
    get: (id) => sessions.get(id),
    remove: (id) => void sessions.delete(id),
    get size() {
      return sessions.size;
    },
    get evicted() {
      return evicted;
    },
    get gaveWay() {
      return gaveWay;
    },
    async close() {
      sweep?.();
      sweep = undefined;
      await Promise.all([...sessions.values()].map((session) => session.end()));
    },
  };
}

/** Idle ones before those with an open stream or answer, and those unseen for longest first. */
function byUse(a: Housed, b: Housed): number {
  return Number(a.busy > 0) - Number(b.busy > 0) || a.lastSeen - b.lastSeen;
}
