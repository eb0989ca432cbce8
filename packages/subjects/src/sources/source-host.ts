import { deviceText, millis, seconds, type Cancel, type Clock, type Log } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { Engine } from "../graph/engine.ts";
import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import { createInbound } from "./inbound.ts";
import { createOutbound } from "./outbound.ts";
import type { Ownership } from "./ownership.ts";
import { createRateMeter } from "./rate-meter.ts";
import { createTellQualities } from "./tell-qualities.ts";
import type {
  Source,
  SourceContext,
  SourceDiagnostics,
  SourceHandle,
  SourceOptions,
  SyncState,
  Update,
} from "./source.ts";

const FIRST_DELAY_MS = 10_000;
const LAST_DELAY_MS = 60_000;
const STOP_FLUSH = seconds(5);
const STATUS_INTERVAL = seconds(10);
const DEFAULT_RETRIES = 1_000;
const DEFAULT_INBOUND = 10_000;

export interface HostDeps {
  readonly name: string;
  readonly source: Source;
  readonly options: SourceOptions;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly ownership: Ownership;
  readonly place: (path: string) => { readonly node: Node; readonly slot: number };
  readonly attach: (parentPath: string, key: string | number, subject: Subject) => void;
  readonly detach: (subject: Subject) => void;
  /** Diagnostics changed. */
  readonly changed: (diagnostics: SourceDiagnostics) => void;
}

export interface SourceHost extends SourceHandle {
  readonly index: number;
  /** It has delivered at least one whole snapshot. */
  readonly hasDelivered: boolean;
  /** Everything that needs to be sent to a mirror goes through here. */
  offer(change: Change, isDiscrete: boolean): void;
}

/** Runs one source: connects, keeps what it sends, starts over when it is lost. */
export function createSourceHost({
  name,
  source,
  options,
  engine,
  clock,
  log,
  ownership,
  place,
  attach,
  detach,
  changed,
}: HostDeps): SourceHost {
  const writes = source.writes ?? "door";
  const jitter = options.jitter ?? Math.random;
  const inboundLimit = options.inboundLimit ?? DEFAULT_INBOUND;
  let state: SyncState = "unclaimed";
  let since = clock.now();
  let lastError: string | null = null;
  let hasDelivered = false;
  let attempts = 0;
  let session: AbortController | undefined;
  let outer: AbortSignal | undefined;
  let reconnect: Cancel | undefined;
  let connecting: Promise<void> | undefined;
  let status: Cancel | undefined;
  let buffer: (readonly Update[])[] | undefined;
  let buffered = 0;
  let dropped = 0;
  const received = createRateMeter(() => clock.monotonic());
  const sent = createRateMeter(() => clock.monotonic());

  const owner = {
    name,
    get isSynchronized() {
      return state === "synchronized";
    },
  };
  const index = ownership.register(owner);
  const outbound = createOutbound({
    clock,
    source,
    retryLimit: options.retryLimit ?? DEFAULT_RETRIES,
    isConnected: () => state === "synchronized",
    pullBack(change, sourceValue) {
      inbound.apply([{ subject: change.subject, property: change.property, value: sourceValue }]);
    },
    sent: (count) => sent.count(count),
    failed: (error) => noteError(error),
  });
  const origin = Object.freeze({ from: name });
  const tellQualities = createTellQualities({ engine, owner: index, origin });
  const inbound = createInbound({
    engine,
    ownership,
    log,
    owner: index,
    origin,
    place,
    isHeld: (node, slot) => outbound.holds(node.subject, node.layout.slot(slot).name),
  });

  function diagnostics(): SourceDiagnostics {
    return {
      operational: state === "synchronized",
      state,
      since,
      lastError,
      inPerSecond: received.perSecond(),
      outPerSecond: sent.perSecond(),
      queueDepth: outbound.depth + buffered,
      dropped: dropped + outbound.dropped,
      claimed: ownership.count(index),
    };
  }

  function enter(next: SyncState): void {
    if (state === next) return;
    const wasSynchronized = state === "synchronized";
    state = next;
    since = clock.now();
    if (wasSynchronized) tellQualities.ofAll();
    changed(diagnostics());
  }

  /** Rates and depths change without anybody's doing; they are shown now and then while the source runs. */
  function showAgain(): void {
    status?.();
    status = clock.timer(STATUS_INTERVAL, () => {
      tellQualities.ofAged();
      changed(diagnostics());
      showAgain();
    });
  }

  function noteError(error: unknown): void {
    lastError = error instanceof Error ? deviceText(error.message, 500) : "unknown error";
    log.error("A source failed.", error, { source: name });
    changed(diagnostics());
  }

  function write(updates: readonly Update[]): void {
    received.count(updates.length);
    if (buffer === undefined) {
      dropped += inbound.apply(updates);
      return;
    }
    buffer.push(updates);
    buffered += updates.length;
    while (buffered > inboundLimit && buffer.length > 1) {
      const lost = buffer.shift()?.length ?? 0;
      buffered -= lost;
      dropped += lost;
    }
  }

  function contextFor(signal: AbortSignal): SourceContext {
    // A session that was ended must not speak any more, however late its callbacks come.
    const alive = (): boolean => !signal.aborted;
    return {
      write: (updates) => void (alive() && write(updates)),
      attach: (parentPath, key, subject) => void (alive() && attach(parentPath, key, subject)),
      detach: (subject) => void (alive() && detach(subject)),
      claim: (subject, properties) => alive() && claim(subject, properties),
      disconnected: (reason) => void (alive() && lose(reason)),
      mount: options.mount,
      log,
      signal,
    };
  }

  function claim(subject: Subject, properties?: readonly string[]): boolean {
    const node = nodeOf(subject);
    const { layout } = node;
    const slots =
      properties?.map((property) => layout.index.get(property) ?? -1) ??
      layout.listed.filter((i) => isOwnable(node, i));
    let all = true;
    for (const slot of slots) {
      if (slot === -1 || !isOwnable(node, slot))
        throw subjectError("PATH_NOT_FOUND", `${subject.$type} has no such property to own.`);
      all = ownership.claim(node, slot, index) && all;
    }
    return all;
  }

  async function connect(): Promise<void> {
    const controller = new AbortController();
    session = controller;
    const { signal } = controller;
    buffer = [];
    buffered = 0;
    enter("synchronizing");
    try {
      await source.start(contextFor(signal));
      const snapshot = signal.aborted ? [] : await source.load(signal);
      if (signal.aborted) return;
      received.count(snapshot.length);
      takeIn(snapshot);
      await outbound.flush(signal);
    } catch (error) {
      if (session === controller) lose(error);
    }
  }

  /** As of a source that is there: what the snapshot brings must not be told as stale first. */
  function takeIn(snapshot: readonly Update[]): void {
    const isBack = hasDelivered;
    state = "synchronized";
    since = clock.now();
    engine.delivery.batch(
      () => {
        dropped += inbound.apply(snapshot, { isSnapshot: true });
        if (isBack) tellQualities.ofAll();
      },
      () => engine.time.renew(),
    );
    replay();
    attempts = 0;
    hasDelivered = true;
    changed(diagnostics());
  }

  function replay(): void {
    const due = buffer ?? [];
    buffer = undefined;
    buffered = 0;
    for (const updates of due) dropped += inbound.apply(updates);
  }

  /** The outside is gone: what it said turns stale, and after a while we try again. */
  function lose(reason: unknown): void {
    session?.abort();
    session = undefined;
    buffer = undefined;
    buffered = 0;
    if (state === "stopped") return;
    enter("synchronizing");
    noteError(reason);
    const wait = Math.round(Math.min(FIRST_DELAY_MS * 2 ** attempts, LAST_DELAY_MS) * (0.8 + 0.4 * jitter()));
    attempts += 1;
    void quietly(() => source.stop());
    reconnect?.();
    reconnect = clock.timer(millis(wait), () => {
      reconnect = undefined;
      if (outer?.aborted !== true && state !== "stopped") connecting = connect();
    });
  }

  async function quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error("A source failed to stop cleanly.", error, { source: name });
    }
  }

  async function stop(): Promise<void> {
    if (state === "stopped") return;
    reconnect?.();
    reconnect = undefined;
    status?.();
    status = undefined;
    const deadline = new AbortController();
    const cancel = clock.timer(STOP_FLUSH, () => deadline.abort());
    await Promise.race([quietly(() => outbound.flush(deadline.signal)), aborted(deadline.signal)]);
    cancel();
    outbound.stop();
    enter("stopped");
    session?.abort();
    session = undefined;
    await quietly(() => source.stop());
  }

  return {
    name,
    index,
    writes,
    mount: options.mount,
    source,
    get state() {
      return state;
    },
    get available() {
      return state === "synchronized";
    },
    get hasDelivered() {
      return hasDelivered;
    },
    get diagnostics() {
      return diagnostics();
    },
    offer(change, isDiscrete) {
      if (writes === "mirror") outbound.offer(change, isDiscrete);
    },
    async start(signal) {
      if (session !== undefined || reconnect !== undefined) return connecting;
      outer = signal;
      signal?.addEventListener("abort", () => void stop(), { once: true });
      if (state === "stopped") enter("unclaimed");
      outbound.start();
      showAgain();
      connecting = connect();
      await connecting;
    },
    flush: (signal) => outbound.flush(signal ?? new AbortController().signal),
    stop,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function isOwnable(node: Node, i: number): boolean {
  const slot = node.layout.slots[i];
  return slot !== undefined && slot !== null && slot.shape === undefined && slot.get === undefined;
}
