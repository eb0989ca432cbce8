import type { Clock } from "@steading/kernel";
import { nodeOf } from "../instance/held.ts";
import type { Subject } from "../instance/subject.ts";
import { qualityOf } from "../info/quality-of.ts";
import { changedAt, receivedAt } from "../info/standing.ts";
import { createBatchedStream } from "./batched-stream.ts";
import { createChangeBuffer } from "./change-buffer.ts";
import type { Change, ChangeStream, ChangeStreamOptions } from "./change.ts";
import type { Engine } from "./engine.ts";
import { valueAt } from "../instance/stored-value.ts";

const DEFAULT_BUFFER_MS = 8;
const DEFAULT_PENDING = 100_000;

export interface ChangeStreams {
  open(options?: ChangeStreamOptions): ChangeStream;
  close(): void;
}

export function createChangeStreams({
  clock,
  engine,
}: {
  readonly clock: Clock;
  readonly engine: Engine;
}): ChangeStreams {
  const streams = new Set<ChangeStream>();

  /** What a property holds when nobody remembers how it got there. */
  function settled(subject: Subject, property: string): Change | undefined {
    const node = nodeOf(subject);
    const slot = node.layout.index.get(property);
    if (slot === undefined || node.core !== engine) return undefined;
    const at = clock.now();
    return {
      subject,
      property,
      old: undefined,
      value: valueAt(node, slot),
      quality: qualityOf(engine.reading, node, slot),
      revision: engine.pulse.revision,
      changedAt: changedAt(node.standing, slot) ?? at,
      receivedAt: receivedAt(node.standing, slot) ?? at,
      origin: "local",
    };
  }

  return {
    open({ filter, bufferMs = DEFAULT_BUFFER_MS, maxPending = DEFAULT_PENDING } = {}) {
      const buffer = createChangeBuffer(Math.max(1, maxPending), settled);
      const cancel = engine.delivery.addObserver({
        change(change, isDiscrete) {
          if (filter !== undefined && !filter(change)) return;
          buffer.offer(change, isDiscrete);
          reader.filled();
        },
      });
      const reader = createBatchedStream<Change>({
        clock,
        bufferMs,
        take: () => buffer.take(),
        closed() {
          cancel();
          streams.delete(stream);
        },
      });
      const stream: ChangeStream = Object.defineProperties(reader, {
        dropped: { get: () => buffer.dropped },
        pending: { get: () => buffer.size },
      }) as typeof reader & ChangeStream; // the two getters are what it lacked
      streams.add(stream);
      return stream;
    },
    close() {
      for (const stream of [...streams]) stream.close();
    },
  };
}
