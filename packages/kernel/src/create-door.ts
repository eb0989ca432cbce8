import { V7Generator } from "uuidv7";
import { throwIfCancelled } from "./abortable.ts";
import { createActionStore, type StoredAction } from "./action-store.ts";
import type { Approvals } from "./approval.ts";
import type { Caller } from "./caller.ts";
import { canonicalHash } from "./canonical-hash.ts";
import { createCarryOut } from "./carry-out.ts";
import type { Clock } from "./clock.ts";
import { createDoorAccess } from "./door-access.ts";
import { createDoorInterlocks } from "./door-interlocks.ts";
import { DOOR_LIMITS, type DoorLimits } from "./door-limits.ts";
import { createDoorSweep, type SweepCounters } from "./door-sweep.ts";
import type { Door } from "./door.ts";
import { createEffectLedger, type EffectLedgerCounters } from "./effect-ledger.ts";
import type { Effect, Observe, Outcome } from "./effect.ts";
import { asSteadingError } from "./internal-error.ts";
import type { Journal } from "./journal.ts";
import type { Json, JsonObject } from "./json.ts";
import { kernelError } from "./kernel-errors.ts";
import { createKeyClaims } from "./key-claims.ts";
import { createKeyStore } from "./key-store.ts";
import { createKeyedPerform, type Execution, type LookWait } from "./keyed-perform.ts";
import { createLanes, type LaneCounters } from "./lane.ts";
import type { Ledger } from "./ledger.ts";
import type { Log } from "./log.ts";
import type { Reception } from "./received.ts";
import { recoverActions } from "./recover-actions.ts";
import { redact } from "./redact.ts";

export interface DoorDeps {
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly reception: Reception;
  readonly approvals: Approvals;
  readonly log: Log;
  readonly access: () => "read" | "write";
  /** The caller as the accounts know it at this moment; undefined when it is gone. Default: as it came. */
  readonly standing?: (caller: Caller) => Caller | undefined;
  readonly limits?: Partial<DoorLimits>;
}

export interface DoorCounters {
  readonly asked: number;
  readonly sent: number;
  readonly replayed: number;
  readonly observedAgain: number;
  readonly lanes: LaneCounters;
  readonly swept: SweepCounters;
  readonly ledger: EffectLedgerCounters;
}
export interface WorkingDoor extends Door {
  readonly counters: DoorCounters;
}

/** The door. See `Door` for what it promises and in which order. */
export function createDoor(deps: DoorDeps): WorkingDoor {
  const { ledger, journal, clock, reception, approvals, log, access, standing = (caller: Caller) => caller } = deps;
  const limits: DoorLimits = { ...DOOR_LIMITS, ...deps.limits };
  const ids = new V7Generator();
  const actions = createActionStore({ ledger, clock, limits: limits.actions });
  const keys = createKeyStore({ ledger, clock, perPrincipal: limits.keysPerPrincipal, isKept: actions.has });
  const claims = createKeyClaims();
  const lanes = createLanes({ liveWaiting: limits.liveWaiting });
  const interlocks = createDoorInterlocks({ log });
  const { authorise, approve } = createDoorAccess({ access, approvals, standing });
  const effects = createEffectLedger({ actions, keys, journal, clock, log, safeCommitWait: limits.safeCommitWait });
  const observers = new Map<string, (reservation: JsonObject) => Observe>();
  const carryOut = createCarryOut({ effects, observers: observerOf, clock, reception, log, limits });
  const every = Math.max(1, Math.min(64, Math.floor(limits.actions.kept / 10)));
  const sweep = createDoorSweep({ actions, keys, isClaimed: claims.has, journal, log, every });
  const running = new Set<string>();
  const counters = { asked: 0, sent: 0, observedAgain: 0 };

  function observerOf({ observer, observeWith, observeDeadline }: StoredAction): Observe | undefined {
    if (observeDeadline <= 0) return undefined;
    const make = observers.get(observer);
    if (!make) log.warn("Nobody can look at the target of an action: its observer is not there.", { observer });
    return make?.(observeWith);
  }

  function validate(effect: Effect): void {
    try {
      effect.validate?.();
    } catch (error) {
      throw asSteadingError(log, "The validation of an effect failed.", error);
    }
    const blind = (effect.observeDeadline ?? limits.observeDeadline) > 0 && !observers.has(effect.observer);
    if (blind && effect.toward === "live") {
      throw kernelError("OBSERVER_UNKNOWN", `No observer called ${effect.observer} is registered for this target.`);
    }
  }

  function hashOf(effect: Effect): string {
    try {
      return canonicalHash(effect.arguments);
    } catch (cause) {
      throw kernelError("INVALID_ARGUMENTS", "The arguments hold text or numbers that JSON cannot carry.", { cause });
    }
  }

  /** What cannot tell how things were must not keep them from being changed. */
  function beforeOf({ before }: Effect): Json | undefined {
    if (typeof before !== "function") return before;
    try {
      return before();
    } catch (error) {
      log.error("A driver could not tell the state before an effect.", error);
      return undefined;
    }
  }

  function newAction(effect: Effect, argumentsHash: string, keyId: string | undefined): StoredAction {
    const { tool, caller, target, toward, summary, observer, observeWith } = effect;
    const before = beforeOf(effect);
    return {
      id: ids.generateOrResetWithTs(clock.now()).toString(),
      tool,
      principal: caller.principal,
      correlation: caller.correlation,
      target,
      toward,
      summary,
      requestedAt: clock.now(),
      arguments: redact(effect.arguments),
      argumentsHash,
      observer,
      observeWith,
      observeDeadline: effect.observeDeadline ?? limits.observeDeadline,
      keyTtl: effect.keyTtl ?? limits.keyTtl,
      ...(keyId === undefined ? {} : { keyId }),
      ...(before === undefined ? {} : { before }),
    };
  }

  /** From the approval to the outcome. `onRecord` is called once there is no way back. */
  async function execute(effect: Effect, { argumentsHash, key, options, onRecord }: Execution): Promise<Outcome> {
    // A caller that goes away takes a live effect along while nothing is on record, never one towards safe.
    const signal = effect.toward === "safe" ? undefined : options.signal;
    await approve(effect, argumentsHash, options);
    const things = effect.things ?? [effect.target];
    const pass = await lanes.enter(effect.target, effect.toward, { signal, things });
    try {
      throwIfCancelled(signal);
      authorise(effect); // the wait may have been long
      const admitted = interlocks.admit(effect);
      let stage: Outcome["receipt"]["stage"] | undefined;
      const action = newAction(effect, argumentsHash, key?.id);
      running.add(action.id);
      try {
        await effects.reserve(action, effect, key?.revision ?? 0);
        onRecord?.();
        const outcome = await carryOut.send(effect, action, pass.cut, () => {
          counters.sent += 1;
          admitted.sent();
        });
        stage = outcome.receipt.stage;
        return outcome;
      } finally {
        running.delete(action.id);
        admitted.ended(stage);
        sweep.tick();
      }
    } finally {
      pass.leave();
    }
  }

  async function lookAgain(action: StoredAction, { signal, stop }: LookWait): Promise<Outcome> {
    counters.observedAgain += 1;
    const pass = await lanes.enter(action.target, "look", { signal });
    running.add(action.id);
    try {
      // Somebody may have found out while this one waited for its turn.
      const present = actions.get(action.id) ?? action;
      if (present.outcome && present.outcome.receipt.stage !== "unknown") return present.outcome;
      if (actions.isOvertaken(present)) {
        if (present.outcome === undefined) await carryOut.interrupt(present);
        const told = actions.get(action.id)?.outcome;
        if (told !== undefined) return told;
      }
      const cut = stop === undefined ? pass.cut : AbortSignal.any([pass.cut, stop]);
      const outcome = await carryOut.lookAgain(present, cut);
      interlocks.looked(action, outcome.receipt.stage);
      return outcome;
    } finally {
      running.delete(action.id);
      pass.leave();
    }
  }

  async function interrupt(action: StoredAction): Promise<void> {
    // Whoever repeated it meanwhile looks already, and writes down what is seen.
    const isLookedAt = running.has(action.id) || (action.keyId !== undefined && claims.has(action.keyId));
    if (isLookedAt || actions.get(action.id)?.outcome !== undefined) return;
    await carryOut.interrupt(action);
    interlocks.looked(action, "unknown");
  }

  const keyed = createKeyedPerform({ keys, claims, actions, execute, lookAgain, log });

  return {
    async perform(effect, options = {}) {
      counters.asked += 1;
      authorise(effect);
      validate(effect);
      const argumentsHash = hashOf(effect);
      return effect.key === undefined
        ? execute(effect, { argumentsHash, options })
        : keyed.perform(effect, argumentsHash, options);
    },
    registerObserver(name, observe) {
      if (observers.has(name)) throw new TypeError(`There are two observers called ${name}.`);
      observers.set(name, observe);
    },
    registerInterlock: interlocks.register,
    async recover(signal) {
      const inDoubt = await recoverActions({
        unfinished: actions.unfinished().filter(({ id }) => !running.has(id)),
        interrupt,
        look: (action) => keyed.lookAgain(action, { signal, stop: signal }),
        signal,
        log,
        together: limits.recoverTogether,
      });
      return { inDoubt: inDoubt.map(actions.record).filter((each) => each !== undefined) };
    },
    action: actions.record,
    actions: (filter = {}) => actions.list(filter),
    get counters() {
      return {
        ...counters,
        replayed: keyed.replayed,
        lanes: lanes.counters,
        swept: sweep.counters,
        ledger: effects.counters,
      };
    },
  };
}
