import type { Clock } from "@steading/kernel";
import type { Subject } from "../instance/subject.ts";
import { createBatchedStream } from "./batched-stream.ts";
import type { LifecycleEvent, StructureEvent, StructureStream, StructureStreamOptions } from "./change.ts";

const DEFAULT_BUFFER_MS = 8;
const DEFAULT_PENDING = 100_000;

export interface StructureStreams {
  offer(event: LifecycleEvent): void;
  open(options?: StructureStreamOptions): StructureStream;
  close(): void;
}

interface StructureDeps {
  readonly clock: Clock;
  readonly revision: () => number;
  readonly pathOf: (subject: Subject) => string | null;
}

export function createStructureStreams({ clock, revision, pathOf }: StructureDeps): StructureStreams {
  const streams = new Map<StructureStream, (event: StructureEvent) => void>();

  return {
    offer(event) {
      if (streams.size === 0) return;
      const { subject, parent, property, key } = event;
      const full: StructureEvent = {
        kind: kindOf(event),
        subject,
        parent,
        property,
        key,
        path: pathOf(subject),
        revision: revision(),
      };
      for (const offer of streams.values()) offer(full);
    },
    open({ bufferMs = DEFAULT_BUFFER_MS, maxPending = DEFAULT_PENDING } = {}) {
      let pending: StructureEvent[] = [];
      let dropped = 0;
      const reader = createBatchedStream<StructureEvent>({
        clock,
        bufferMs,
        take() {
          const batch = pending;
          pending = [];
          return batch;
        },
        closed: () => streams.delete(stream),
      });
      const stream = Object.defineProperties(reader, {
        dropped: { get: () => dropped },
        pending: { get: () => pending.length },
      }) as typeof reader & StructureStream; // the two getters are what it lacked
      streams.set(stream, (event) => {
        pending.push(event);
        if (pending.length > Math.max(1, maxPending)) {
          pending.splice(oldestCoalescable(pending), 1);
          dropped += 1;
        }
        reader.filled();
      });
      return stream;
    },
    close() {
      for (const stream of [...streams.keys()]) stream.close();
    },
  };
}

function kindOf(event: LifecycleEvent): StructureEvent["kind"] {
  if (event.contextAttach) return "attached";
  if (event.contextDetach) return "detached";
  return event.referenceAdded ? "referenceAdded" : "referenceRemoved";
}

/** References come and go; that a subject is there or gone is worth more. */
function oldestCoalescable(pending: readonly StructureEvent[]): number {
  const at = pending.findIndex(({ kind }) => kind === "referenceAdded" || kind === "referenceRemoved");
  return at === -1 ? 0 : at;
}
