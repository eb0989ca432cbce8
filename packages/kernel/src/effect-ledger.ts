import type { ActionStore, StoredAction } from "./action-store.ts";
import type { Clock } from "./clock.ts";
import { millis, type Duration } from "./duration.ts";
import type { Effect, Outcome } from "./effect.ts";
import type { Journal } from "./journal.ts";
import type { Json, JsonObject } from "./json.ts";
import { kernelError } from "./kernel-errors.ts";
import type { KeyStore, StoredKey } from "./key-store.ts";
import type { Commit, NewRecord } from "./ledger.ts";
import type { Log } from "./log.ts";
import { SteadingError } from "./steading-error.ts";

const OUTCOME_ATTEMPTS = 3;
const OUTCOME_PAUSE = millis(100);

export interface EffectLedgerCounters {
  /** Safe effects that were sent although their reservation could not be written. */
  readonly unrecordedReservations: number;
  /** Outcomes that were answered but could not be written. */
  readonly unrecordedOutcomes: number;
}

/** Writes down what the door does: each step one commit of state and audit record, fsynced. */
export interface EffectLedger {
  /**
   * Throws when a live effect cannot be reserved, also when its key is no longer at `keyRevision`. One towards safe goes
   * on without, and that is counted.
   */
  reserve(action: StoredAction, effect: Effect, keyRevision: number): Promise<void>;
  /** The outcome, with the key. Never throws: what happened has happened. */
  finish(action: StoredAction, outcome: Outcome): Promise<void>;
  /** An end before the first byte: recorded as failed, and the key is free again. Never throws. */
  release(action: StoredAction, outcome: Outcome): Promise<void>;
  readonly counters: EffectLedgerCounters;
}

export function createEffectLedger({
  actions,
  keys,
  journal,
  clock,
  log,
  safeCommitWait,
}: {
  readonly actions: ActionStore;
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly safeCommitWait: Duration;
}): EffectLedger {
  /** Audit records of reservations that are not on disk; they go with the outcome. */
  const owed = new Map<string, NewRecord>();
  const underWay = new Set<string>();
  const counters = { unrecordedReservations: 0, unrecordedOutcomes: 0 };

  const keyOf = (action: StoredAction, outcome?: Outcome): StoredKey => ({
    principal: action.principal,
    argumentsHash: action.argumentsHash,
    action: action.id,
    expiresAt: clock.now() + action.keyTtl,
    ...(outcome === undefined ? {} : { outcome }),
  });

  async function reserve(action: StoredAction, effect: Effect, keyRevision: number): Promise<void> {
    const { keyId } = action;
    underWay.add(action.id);
    const record = journal.record("audit", {
      kind: "effect.reserved",
      correlation: action.correlation,
      data: reservedData(action, effect),
    });
    const key = keyOf(action);
    const commit: Commit = {
      durability: "fixed",
      reserve: effect.toward === "safe",
      ...(keyId === undefined ? {} : { expect: [{ space: "keys", key: keyId, revision: keyRevision }] }),
      puts: [actions.put(action), ...(keyId === undefined ? [] : [keys.put(keyId, key)])],
      records: [record],
    };
    const done = journal.commit(commit).then(() => {
      owed.delete(action.id);
      actions.remember(action);
      if (keyId !== undefined) keys.remember(keyId, key);
    });
    if (effect.toward === "safe") await reserveSafe(action, record, done);
    else await done.catch((error: unknown) => refuseLive(action.id, error));
  }

  function refuseLive(id: string, error: unknown): never {
    underWay.delete(id);
    if (error instanceof SteadingError && error.code === "REVISION_STALE") {
      throw kernelError("CONFLICT", "This idempotency key was used elsewhere at the same moment.", { cause: error });
    }
    throw error;
  }

  /** Nothing about the disk may hold up what makes things safe: not a failure, and not a hang. */
  async function reserveSafe(action: StoredAction, record: NewRecord, done: Promise<void>): Promise<void> {
    let give: (late: boolean) => void = () => {};
    const late = new Promise<boolean>((resolve) => (give = resolve));
    const cancel = clock.timer(safeCommitWait, () => give(true));
    const failed = done.then(
      () => false,
      (error: unknown) => {
        if (underWay.has(action.id)) owed.set(action.id, record);
        log.error("A reservation towards safe could not be written; it is sent all the same.", error, {
          action: action.id,
        });
        return true;
      },
    );
    const unrecorded = await Promise.race([failed, late]);
    cancel();
    if (!unrecorded) return;
    counters.unrecordedReservations += 1;
    if (!owed.has(action.id))
      log.warn("A reservation towards safe takes long; it is sent meanwhile.", { action: action.id });
  }

  async function write(action: StoredAction, commit: Omit<Commit, "durability">): Promise<void> {
    let reserve = action.toward === "safe";
    for (let attempt = 1; ; attempt += 1) {
      try {
        await journal.commit({ durability: "fixed", reserve, ...commit });
        return;
      } catch (error) {
        const known = error instanceof SteadingError ? error : undefined;
        if (attempt >= OUTCOME_ATTEMPTS || !(known?.retryable || known?.code === "STORE_FULL")) throw error;
        reserve = true; // the effect is out there already; its outcome deserves the room that is kept free
        await clock.sleep(OUTCOME_PAUSE);
      }
    }
  }

  async function end(action: StoredAction, outcome: Outcome, keepKey: boolean): Promise<void> {
    const { keyId } = action;
    const ended: StoredAction = { ...action, outcome, endedAt: clock.now() };
    const key = keyOf(action, outcome);
    const debt = owed.get(action.id);
    const record = journal.record("audit", {
      kind: "effect.ended",
      correlation: action.correlation,
      data: endedData(action, outcome, keepKey),
    });
    try {
      await write(action, {
        puts: [actions.put(ended), ...(keyId !== undefined && keepKey ? [keys.put(keyId, key)] : [])],
        deletes: keyId !== undefined && !keepKey ? [keys.remove(keyId)] : [],
        records: debt === undefined ? [record] : [debt, record],
      });
      actions.remember(ended);
      if (keyId !== undefined && keepKey) keys.remember(keyId, key);
      if (keyId !== undefined && !keepKey) keys.forget(keyId);
    } catch (error) {
      counters.unrecordedOutcomes += 1;
      log.error("An outcome could not be written; after a restart the action will be looked at again.", error, {
        action: action.id,
        stage: outcome.receipt.stage,
      });
    }
    owed.delete(action.id);
    underWay.delete(action.id);
  }

  return {
    reserve,
    finish: (action, outcome) => end(action, outcome, true),
    release: (action, outcome) => end(action, outcome, false),
    get counters() {
      return { ...counters };
    },
  };
}

function reservedData(action: StoredAction, { caller, approval }: Effect): JsonObject {
  return {
    action: action.id,
    tool: action.tool,
    principal: action.principal,
    through: caller.transport,
    target: action.target,
    toward: action.toward,
    summary: action.summary,
    arguments: action.arguments,
    ...(approval === undefined ? {} : { approval }),
    ...(caller.traceparent === undefined ? {} : { traceparent: caller.traceparent }),
  };
}

function endedData(action: StoredAction, outcome: Outcome, sent: boolean): JsonObject {
  const { receipt, before, error } = outcome;
  const optional = (name: string, value: Json | undefined): JsonObject =>
    value === undefined ? {} : { [name]: value };
  return {
    action: action.id,
    tool: action.tool,
    principal: action.principal,
    target: action.target,
    stage: receipt.stage,
    sent,
    ...optional("observed", receipt.observed),
    ...optional("before", before),
    ...(error === undefined ? {} : { error: { ...error } }),
  };
}
