import type { Clock } from "./clock.ts";
import type { ActionRecord } from "./door.ts";
import type { Outcome, Toward } from "./effect.ts";
import { days, type Duration } from "./duration.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Commit, Ledger } from "./ledger.ts";
import { receipt } from "./receipt.ts";

const SPACE = "actions";
const PAGE = 1_000;
const LISTED = 100;
/** Deletes that one sweep carries at most. */
const SWEEP = 256;

/** A reservation and, once there is one, its outcome, as the ledger keeps it. */
export interface StoredAction {
  readonly id: string;
  readonly tool: string;
  readonly principal: string;
  readonly correlation: string;
  readonly target: string;
  readonly toward: Toward;
  readonly summary: string;
  readonly requestedAt: number;
  readonly arguments: JsonObject;
  readonly argumentsHash: string;
  readonly observer: string;
  readonly observeWith: JsonObject;
  readonly observeDeadline: number;
  /** Where its idempotency key is kept, when the caller gave one. */
  readonly keyId?: string;
  readonly keyTtl: number;
  readonly before?: Json;
  readonly outcome?: Outcome;
  readonly endedAt?: number;
}

export interface ActionLimits {
  readonly kept: number;
  readonly age: Duration;
  /** Beyond this the oldest in doubt are let go of too, with a log line and an audit record. */
  readonly inDoubt: number;
}
export const ACTION_LIMITS: ActionLimits = { kept: 10_000, age: days(7), inDoubt: 10_000 };

export interface ActionStore {
  put(action: StoredAction): NonNullable<Commit["puts"]>[number];
  /** Keeps count of it; call once the commit is done. */
  remember(action: StoredAction): void;
  has(id: string): boolean;
  get(id: string): StoredAction | undefined;
  record(id: string): ActionRecord | undefined;
  /** Newest first. */
  list(filter: { readonly inDoubt?: boolean; readonly limit?: number }): readonly ActionRecord[];
  /** Without an outcome, or interrupted by a crash and not seen since. Oldest first. */
  unfinished(): readonly StoredAction[];
  /** A later action may have changed the same target: what is seen there proves nothing about this one any more. */
  isOvertaken(action: StoredAction): boolean;
  /** What has to go: `settled` quietly, `doubtful` not. */
  sweep(): { readonly settled: readonly string[]; readonly doubtful: readonly string[] };
  forget(ids: readonly string[]): NonNullable<Commit["deletes"]>;
}

export function createActionStore({
  ledger,
  clock,
  limits,
}: {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly limits: ActionLimits;
}): ActionStore {
  /** When each ended, oldest first; undefined while it is open or in doubt. The ledger holds the rest. */
  let index: Map<string, number | undefined> | undefined;
  /** The newest action of each target that may have reached it. */
  const newest = new Map<string, string>();

  function known(): Map<string, number | undefined> {
    if (index) return index;
    index = new Map();
    for (let after: string | undefined; ;) {
      const page = ledger.list(SPACE, after === undefined ? {} : { after });
      for (const { key, entry } of page) {
        const action = asAction(entry.value);
        index.set(key, settledAt(action));
        if (action.outcome?.receipt.stage !== "failed") newest.set(action.target, key); // ids are in the order of time
      }
      if (page.length < PAGE) return index;
      after = page.at(-1)?.key;
    }
  }

  function get(id: string): StoredAction | undefined {
    const entry = ledger.get(SPACE, id);
    return entry && asAction(entry.value);
  }

  /** The newest action of a target is kept as long as an older one there is in doubt: it tells that one it was overtaken. */
  function withoutWitnesses(due: readonly string[], doubtful: readonly string[]): readonly string[] {
    if (due.length === 0 || doubtful.length === 0) return due;
    const witnesses = new Set(doubtful.map((id) => newest.get(get(id)?.target ?? "")));
    return due.filter((id) => !witnesses.has(id));
  }

  return {
    put: (action) => ({ space: SPACE, key: action.id, value: action as unknown as Json }), // built of JSON alone
    remember(action) {
      known().set(action.id, settledAt(action));
      if (action.outcome === undefined) newest.set(action.target, action.id);
    },
    has: (id) => known().has(id),
    get,
    record(id) {
      const action = get(id);
      return action && toRecord(action);
    },
    list({ inDoubt = false, limit = LISTED }) {
      const ids = [...known()].filter(([, ended]) => !inDoubt || ended === undefined).map(([id]) => id);
      return ids
        .reverse()
        .slice(0, Math.min(Math.max(0, limit), PAGE))
        .map(get)
        .filter((each) => each !== undefined)
        .map(toRecord);
    },
    unfinished() {
      return [...known()]
        .filter(([, ended]) => ended === undefined)
        .map(([id]) => get(id))
        .filter((each) => each !== undefined)
        .filter(({ outcome }) => outcome === undefined || outcome.error?.code === "INTERRUPTED");
    },
    isOvertaken({ id, target }) {
      known();
      return (newest.get(target) ?? id) !== id;
    },
    sweep() {
      const oldest = clock.now() - limits.age;
      const ended = [...known()].filter((each): each is [string, number] => each[1] !== undefined);
      const surplus = ended.length - limits.kept;
      const due = ended.filter(([, at], i) => i < surplus || at < oldest).map(([id]) => id);
      const doubtful = [...known()].filter(([, at]) => at === undefined).map(([id]) => id);
      return {
        settled: withoutWitnesses(due, doubtful).slice(0, SWEEP),
        doubtful: doubtful.slice(0, Math.min(SWEEP, Math.max(0, doubtful.length - limits.inDoubt))),
      };
    },
    forget(ids) {
      const gone = new Set(ids);
      for (const id of gone) known().delete(id);
      for (const [target, id] of newest) if (gone.has(id)) newest.delete(target);
      return ids.map((key) => ({ space: SPACE, key }));
    },
  };
}

function asAction(value: Json): StoredAction {
  return value as unknown as StoredAction; // the door alone writes to this space, through `put`
}

function settledAt({ outcome, endedAt }: StoredAction): number | undefined {
  return outcome === undefined || outcome.receipt.stage === "unknown" ? undefined : endedAt;
}

function toRecord(action: StoredAction): ActionRecord {
  const { id, tool, principal, target, summary, requestedAt, arguments: given, outcome } = action;
  return {
    id,
    tool,
    principal,
    target,
    summary,
    requestedAt,
    arguments: given,
    outcome,
    receipt: outcome?.receipt ?? receipt(id, "requested", requestedAt),
  };
}
