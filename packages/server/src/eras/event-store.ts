import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

export interface BoundedEventStore extends EventStore {
  readonly events: number;
  readonly bytes: number;
  readonly dropped: number;
  /** Lets go of the older half. */
  halve(): void;
}

/** All stores together have a bound of their own: many sessions of one site must not add up to all its memory. */
export interface EventMemory {
  open(): BoundedEventStore;
  release(store: BoundedEventStore): void;
  readonly bytes: number;
}

export interface EventBounds {
  readonly eventsPerSession: number;
  readonly eventBytesPerSession: number;
  readonly eventBytes: number;
}

export function createEventMemory(bounds: EventBounds): EventMemory {
  // In the order of last use: who has been quiet longest loses first.
  const stores = new Set<BoundedEventStore>();
  const total = (): number => [...stores].reduce((sum, store) => sum + store.bytes, 0);
  let used = 0;

  function makeRoom(): void {
    used = total();
    for (const store of stores) {
      while (used > bounds.eventBytes && store.events > 0) {
        const before = store.bytes;
        store.halve();
        used -= before - store.bytes;
      }
    }
  }

  return {
    open() {
      const store = createEventStore({
        maxEvents: bounds.eventsPerSession,
        maxBytes: bounds.eventBytesPerSession,
        onStored(size) {
          stores.delete(store);
          stores.add(store);
          used += size;
          // `used` only grows between two counts, so it errs on the safe side and the count is rarely needed.
          if (used > bounds.eventBytes) makeRoom();
        },
      });
      stores.add(store);
      return store;
    },
    release: (store) => void stores.delete(store),
    get bytes() {
      return total();
    },
  };
}

/** What the SDK calls the stream that a session opens with GET. */
const OWN_STREAM = "_GET_stream";

/** Whether an event was sent on the session's own stream, and not as part of an answer. */
export function isOfOwnStream(eventId: string): boolean {
  return eventId.endsWith(`-${OWN_STREAM}`);
}

interface Stored {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** What an event costs besides its text. */
const OVERHEAD = 100;

/**
 * The last events of one session, so that a client whose stream broke gets what it missed. The oldest go first.
 * Ids are the session's own count, padded: as strings they sort in the order of time, over all its streams.
 */
export function createEventStore({
  maxEvents,
  maxBytes,
  onStored,
}: {
  readonly maxEvents: number;
  readonly maxBytes: number;
  onStored?(bytes: number): void;
}): BoundedEventStore {
  const events: Stored[] = [];
  let count = 0;
  let bytes = 0;
  let dropped = 0;

  function dropOldest(): void {
    bytes -= events.shift()?.bytes ?? 0;
    dropped++;
  }
  function find(id: string): Stored | undefined {
    return events.find((event) => event.id === id);
  }

  return {
    async storeEvent(stream, message) {
      const id = `${String(++count).padStart(12, "0")}-${stream}`;
      const size = JSON.stringify(message).length + OVERHEAD;
      events.push({ id, stream, message, bytes: size });
      bytes += size;
      while (events.length > maxEvents || (bytes > maxBytes && events.length > 0)) dropOldest();
      onStored?.(size);
      return id;
    },
    async getStreamIdForEventId(id) {
      // Known by its form also after the event was dropped: the client then gets what is left of its stream.
      return find(id)?.stream ?? /^\d{12}-(.+)$/.exec(id)?.[1];
    },
    async replayEventsAfter(lastEventId, { send }) {
      const stream = find(lastEventId)?.stream ?? /^\d{12}-(.+)$/.exec(lastEventId)?.[1] ?? "";
      for (const event of events.filter((each) => each.stream === stream && each.id > lastEventId)) {
        // The empty event only gave the client an id to come back with.
        if (Object.keys(event.message).length > 0) await send(event.id, event.message);
      }
      return stream;
    },
    halve() {
      for (let drop = Math.ceil(events.length / 2); drop > 0; drop--) dropOldest();
    },
    get events() {
      return events.length;
    },
    get bytes() {
      return bytes;
    },
    get dropped() {
      return dropped;
    },
  };
}
