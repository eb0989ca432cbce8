import { millis, type Clock, type SteadingError } from "@steading/kernel";
import { SlotInfo } from "../info/node-info.ts";
import type { Node } from "../instance/node.ts";
import type { SourceHost } from "../sources/source-host.ts";
import { subjectError } from "../subject-error.ts";
import type { Change } from "./change.ts";
import type { Engine } from "./engine.ts";
import type { TransactionOptions } from "./transaction.ts";
import { effectOf, requireAvailable, type OutsideDeps } from "./write-outside.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface PendingWrite {
  readonly node: Node;
  readonly slot: number;
  readonly value: unknown;
}

export interface CommitDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly outside: OutsideDeps;
}

/** What became of one write at its source. */
interface Sent {
  readonly write: PendingWrite;
  readonly host: SourceHost;
  readonly old: unknown;
  readonly error?: unknown;
  /** Done by an earlier call with the same key: not this transaction's to undo. */
  readonly replayed?: boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Sources first, all of them at once; then the model, in one batch; or nothing. */
export async function commitWrites(
  deps: CommitDeps,
  writes: readonly PendingWrite[],
  options: TransactionOptions,
): Promise<void> {
  const bound = new Map<SourceHost, PendingWrite[]>();
  for (const write of writes) {
    const host = deps.outside.hostOf(write.node, write.slot);
    if (host !== undefined) bound.set(host, [...(bound.get(host) ?? []), write]);
  }
  checkSingle(bound, options);
  for (const [host, own] of bound) {
    if (!own.every((write) => isTowardSafe(deps, host, write))) requireAvailable(host);
    if (host.writes === "door" && options.perform === undefined) {
      throw subjectError(
        "DOOR_NEEDED",
        `Properties of the source ${host.name} are only written through the door; give \`perform\`.`,
      );
    }
  }
  const sent = await within(deps.clock, options, (signal) => sendAll(deps, bound, options, signal));
  const failed = sent.filter(({ error }) => error !== undefined);
  const accepted = sent.filter(({ error }) => error === undefined);
  const locals = writes.filter((write) => !sent.some((each) => each.write === write));
  if (failed.length === 0) {
    apply(deps.engine, locals, accepted);
    return;
  }
  if (options.onFailure === "bestEffort") {
    apply(deps.engine, locals, accepted);
    throw failure(deps, {
      applied: [...locals, ...accepted.map(({ write }) => write)],
      failed,
      reverted: [],
      notReverted: [],
    });
  }
  const reverts = await within(deps.clock, options, (signal) => revertAll(deps, accepted, options, signal));
  throw failure(deps, {
    applied: [],
    failed,
    reverted: reverts.filter(({ error }) => error === undefined),
    notReverted: reverts.filter(({ error }) => error !== undefined),
  });
}

/** Off and stop are tried whatever we think of the connection. */
function isTowardSafe({ engine, outside }: CommitDeps, host: SourceHost, { node, slot, value }: PendingWrite): boolean {
  if (host.writes !== "door" || host.source.effectFor === undefined) return false;
  return effectOf(outside, host, new SlotInfo(engine.reading, node, slot), value).toward === "safe";
}

function checkSingle(
  bound: ReadonlyMap<SourceHost, readonly PendingWrite[]>,
  { singleWrite = false }: TransactionOptions,
): void {
  if (!singleWrite || bound.size === 0) return;
  const [[host, writes] = []] = bound;
  if (bound.size > 1)
    throw subjectError("VALIDATION_FAILED", "This transaction must reach a single source, and it reaches several.");
  if (host?.writes === "door" && (writes?.length ?? 0) > 1)
    throw subjectError(
      "VALIDATION_FAILED",
      `The source ${host.name} takes one write at a time; this transaction must be a single write.`,
    );
}

async function within<T>(
  clock: Clock,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: TransactionOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const cancel = clock.timer(millis(timeoutMs), () =>
    deadline.abort(subjectError("TIMEOUT", `The source did not answer within ${timeoutMs} ms.`)),
  );
  try {
    return await work(deadline.signal);
  } finally {
    cancel();
  }
}

async function sendAll(
  deps: CommitDeps,
  bound: ReadonlyMap<SourceHost, readonly PendingWrite[]>,
  options: TransactionOptions,
  signal: AbortSignal,
): Promise<Sent[]> {
  const bySource = [...bound].map(([host, writes]) => {
    const due = writes.map((write): Sent => ({ write, host, old: valueAt(write.node, write.slot) }));
    return send(deps, host, due, options, signal);
  });
  return (await Promise.all(bySource)).flat();
}

async function revertAll(
  deps: CommitDeps,
  accepted: readonly Sent[],
  options: TransactionOptions,
  signal: AbortSignal,
): Promise<Sent[]> {
  const hosts = new Set(accepted.map(({ host }) => host));
  const bySource = [...hosts].map((host) => {
    const due = accepted
      .filter((each) => each.host === host && each.replayed !== true)
      .map(({ write, old }): Sent => ({ host, old: write.value, write: { ...write, value: old } }));
    return send(deps, host, due, options, signal);
  });
  return (await Promise.all(bySource)).flat();
}

async function send(
  deps: CommitDeps,
  host: SourceHost,
  due: readonly Sent[],
  options: TransactionOptions,
  signal: AbortSignal,
): Promise<Sent[]> {
  return host.writes === "mirror"
    ? sendToMirror(deps, host, due, signal)
    : sendThroughDoor(deps, host, due, options, signal);
}

async function sendToMirror(
  { engine, clock }: CommitDeps,
  host: SourceHost,
  due: readonly Sent[],
  signal: AbortSignal,
): Promise<Sent[]> {
  const at = clock.now();
  const changes = due.map(({ write, old }): Change => {
    const property = write.node.layout.slot(write.slot).name;
    return {
      subject: write.node.subject,
      property,
      old,
      value: write.value,
      quality: "good",
      revision: engine.pulse.revision,
      changedAt: at,
      receivedAt: at,
      origin: "local",
    };
  });
  try {
    const outcome = await abortable(Promise.resolve(host.source.writeChanges?.(changes, signal)), signal);
    if (outcome === undefined) throw subjectError("SOURCE_REJECTED", `The source ${host.name} takes no writes.`);
    const refused = outcome.error ?? subjectError("SOURCE_REJECTED", `The source ${host.name} refused a write.`);
    return due.map((each, i) => (isFailed(outcome.failed, changes[i]) ? { ...each, error: refused } : each));
  } catch (error) {
    return due.map((each) => ({ ...each, error }));
  }
}

function isFailed(failed: readonly Change[], change: Change | undefined): boolean {
  return failed.some(
    (each) => each === change || (each.subject === change?.subject && each.property === change.property),
  );
}

/** One after the other: they may share a wire, and the door has a lane for each target anyway. */
async function sendThroughDoor(
  { engine, outside }: CommitDeps,
  host: SourceHost,
  due: readonly Sent[],
  { perform }: TransactionOptions,
  signal: AbortSignal,
): Promise<Sent[]> {
  const results: Sent[] = [];
  for (const each of due) {
    const { node, slot, value } = each.write;
    const property = new SlotInfo(engine.reading, node, slot);
    try {
      if (signal.aborted) throw signal.reason;
      if (perform === undefined)
        throw subjectError("DOOR_NEEDED", `The source ${host.name} is written through the door.`);
      const effect = effectOf(outside, host, property, value);
      const { receipt, error, replayed } = await abortable(perform(effect), signal);
      if (receipt.stage === "failed") throw subjectError("SOURCE_REJECTED", error?.message ?? "The device refused.");
      if (receipt.stage !== "observed" && receipt.stage !== "acknowledged")
        throw subjectError("TIMEOUT", error?.message ?? "It is not known what became of the write.");
      results.push(replayed === true ? { ...each, replayed } : each);
    } catch (error) {
      results.push({ ...each, error });
    }
  }
  return results;
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason);
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}

/** A door-owned value is not applied here: its read-back has come in, or will. */
function apply(engine: Engine, locals: readonly PendingWrite[], accepted: readonly Sent[]): void {
  engine.delivery.batch(
    () => {
      for (const { node, slot, value } of locals) engine.commit(node, slot, value, { origin: "local" });
      for (const { write, host } of accepted)
        if (host.writes === "mirror")
          engine.commit(write.node, write.slot, write.value, { origin: { confirmedBy: host.name } });
    },
    () => engine.time.renew(),
  );
}

interface Failure {
  readonly applied: readonly PendingWrite[];
  readonly failed: readonly Sent[];
  readonly reverted: readonly Sent[];
  readonly notReverted: readonly Sent[];
}

function failure({ outside }: CommitDeps, { applied, failed, reverted, notReverted }: Failure): SteadingError {
  const name = ({ node, slot }: PendingWrite): string =>
    `${outside.pathOf(node) ?? node.layout.type.name}/${node.layout.slot(slot).name}`.replace("//", "/");
  const names = (list: readonly Sent[]): string[] => list.map(({ write }) => name(write));
  const why = (error: unknown): string => (error instanceof Error ? error.message : "unknown error");
  const what =
    applied.length > 0
      ? "Some writes were not accepted; the others were kept"
      : "A write was not accepted; nothing was kept";
  return subjectError("TRANSACTION_FAILED", `${what}: ${failed.map(({ error }) => why(error)).join("; ")}`, {
    cause: failed[0]?.error,
    details: {
      state: "failed-final",
      applied: applied.map(name),
      failed: names(failed),
      reverted: names(reverted),
      notReverted: names(notReverted),
      errors: [...failed, ...notReverted].map(({ error }) => why(error)),
    },
  });
}
