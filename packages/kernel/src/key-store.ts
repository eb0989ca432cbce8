import { canonicalHash } from "./canonical-hash.ts";
import type { Clock } from "./clock.ts";
import type { Effect, Outcome } from "./effect.ts";
import type { Json } from "./json.ts";
import type { Commit, Ledger } from "./ledger.ts";

const SPACE = "keys";
const PAGE = 1_000;
/** Deletes that one sweep carries at most. */
const SWEEP = 256;

/** What is remembered under an idempotency key. It holds the outcome itself, so that it outlives the action's record. */
export interface StoredKey {
  readonly principal: string;
  readonly argumentsHash: string;
  readonly action: string;
  readonly expiresAt: number;
  readonly outcome?: Outcome;
}

export interface KeyStore {
  /** Where a key is kept: one place for each principal, tool and key. */
  idFor(effect: Effect, argumentsHash: string): string;
  /** Undefined when it was never used or its time has passed. One in doubt stays as long as its action is kept. */
  get(id: string): StoredKey | undefined;
  revision(id: string): number;
  put(id: string, key: StoredKey): NonNullable<Commit["puts"]>[number];
  remove(id: string): NonNullable<Commit["deletes"]>[number];
  remember(id: string, key: StoredKey): void;
  forget(id: string): void;
  /** Expired ones, and the oldest of a principal that has too many; never one that is claimed, or in doubt and of use. */
  sweep(isClaimed: (id: string) => boolean): readonly string[];
}

interface Known {
  readonly principal: string;
  readonly action: string;
  readonly expiresAt: number;
  readonly inDoubt: boolean;
}

export function createKeyStore({
  ledger,
  clock,
  perPrincipal,
  isKept,
}: {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly perPrincipal: number;
  /** Is there still something to look at? Actions in doubt are bounded, and with them the keys that never expire. */
  readonly isKept: (action: string) => boolean;
}): KeyStore {
  /** In order of use; read from the ledger at the first need. */
  let index: Map<string, Known> | undefined;

  function known(): Map<string, Known> {
    if (index) return index;
    index = new Map();
    const all: [string, StoredKey][] = [];
    for (let after: string | undefined; ;) {
      const page = ledger.list(SPACE, after === undefined ? {} : { after });
      all.push(...page.map(({ key, entry }): [string, StoredKey] => [key, asKey(entry.value)]));
      if (page.length < PAGE) break;
      after = page.at(-1)?.key;
    }
    // Action ids grow with time, so they give the order of use back.
    for (const [id, key] of all.toSorted(([, a], [, b]) => (a.action < b.action ? -1 : 1))) index.set(id, toKnown(key));
    return index;
  }

  /** A repeat can still find out what became of it. */
  const isHeld = ({ inDoubt, action }: Known): boolean => inDoubt && isKept(action);

  return {
    idFor({ caller, tool, key = "", sameKey }, argumentsHash) {
      return canonicalHash([caller.principal, tool, key, ...(sameKey === "separate" ? [argumentsHash] : [])]);
    },
    get(id) {
      const entry = ledger.get(SPACE, id);
      if (!entry) return undefined;
      const key = asKey(entry.value);
      return key.expiresAt > clock.now() || isHeld(toKnown(key)) ? key : undefined;
    },
    revision: (id) => ledger.get(SPACE, id)?.revision ?? 0,
    put: (id, key) => ({ space: SPACE, key: id, value: key as unknown as Json }), // built of JSON alone
    remove: (id) => ({ space: SPACE, key: id }),
    remember(id, key) {
      known().delete(id);
      known().set(id, toKnown(key));
    },
    forget: (id) => void known().delete(id),
    sweep(isClaimed) {
      const now = clock.now();
      const held = new Map<string, number>();
      for (const { principal } of known().values()) held.set(principal, (held.get(principal) ?? 0) + 1);
      const going: string[] = [];
      for (const [id, key] of known()) {
        const { principal, expiresAt } = key;
        if (going.length >= SWEEP) break;
        const count = held.get(principal) ?? 0;
        if (isHeld(key) || isClaimed(id) || (expiresAt > now && count <= perPrincipal)) continue;
        held.set(principal, count - 1);
        going.push(id);
      }
      return going;
    },
  };
}

function asKey(value: Json): StoredKey {
  return value as unknown as StoredKey; // the door alone writes to this space, through `put`
}

function toKnown({ principal, action, expiresAt, outcome }: StoredKey): Known {
  return { principal, action, expiresAt, inDoubt: outcome === undefined || outcome.receipt.stage === "unknown" };
}
