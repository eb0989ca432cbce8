import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventMemory, createEventStore } from "./event-store.ts";

const message = (text: string) => ({ jsonrpc: "2.0" as const, method: "notifications/message", params: { text } });

async function replayed(store: ReturnType<typeof createEventStore>, after: string): Promise<string[]> {
  const texts: string[] = [];
  await store.replayEventsAfter(after, {
    send: async (_, sent) => void texts.push("params" in sent ? String(sent.params?.["text"]) : ""),
  });
  return texts;
}

// @proves mcp.sessions.event-store-bounded
test("a store never holds more events or bytes than it may, and counts what it dropped", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 60 }), async (sizes) => {
      const store = createEventStore({ maxEvents: 10, maxBytes: 20_000 });
      for (const size of sizes) await store.storeEvent("s", message("x".repeat(size)));
      expect(store.events).toBeLessThanOrEqual(10);
      expect(store.bytes).toBeLessThanOrEqual(20_000);
      expect(store.events + store.dropped).toBe(sizes.length);
    }),
  );
});

// @proves mcp.sessions.event-ids-sort
test("ids sort in the order of time, over all streams", async () => {
  const store = createEventStore({ maxEvents: 2_000, maxBytes: 1e9 });
  const ids: string[] = [];
  for (let i = 0; i < 1_200; i++) ids.push(await store.storeEvent(i % 3 === 0 ? "a" : "b", message(String(i))));
  expect(ids.toSorted()).toEqual(ids);
});

test("what is replayed is the rest of the same stream, without the empty opening events", async () => {
  const store = createEventStore({ maxEvents: 10, maxBytes: 1e6 });
  const first = await store.storeEvent("a", {} as never); // the SDK stores an empty object to prime a stream
  await store.storeEvent("b", message("other"));
  await store.storeEvent("a", message("one"));
  const second = await store.storeEvent("a", message("two"));
  expect(await replayed(store, first)).toEqual(["one", "two"]);
  expect(await replayed(store, second)).toEqual([]);
  expect(await store.getStreamIdForEventId?.("nonsense")).toBeUndefined();
});

test("a client whose last event was dropped gets what is left of its stream", async () => {
  const store = createEventStore({ maxEvents: 2, maxBytes: 1e6 });
  const first = await store.storeEvent("a", message("one"));
  for (const text of ["two", "three", "four"]) await store.storeEvent("a", message(text));
  expect(await store.getStreamIdForEventId?.(first)).toBe("a");
  expect(await replayed(store, first)).toEqual(["three", "four"]);
});

test("all stores together stay within one bound, and the session quiet longest loses first", async () => {
  const memory = createEventMemory({ eventsPerSession: 100, eventBytesPerSession: 10_000, eventBytes: 15_000 });
  const [quiet, busy] = [memory.open(), memory.open()];
  for (let i = 0; i < 8; i++) await quiet.storeEvent("s", message("x".repeat(1_000)));
  for (let i = 0; i < 8; i++) await busy.storeEvent("s", message("x".repeat(1_000)));
  expect(memory.bytes).toBeLessThanOrEqual(15_000);
  expect(busy.dropped).toBe(0);
  expect(quiet.dropped).toBeGreaterThan(0);
  memory.release(quiet);
  expect(memory.bytes).toBe(busy.bytes);
});
