import { expect, test } from "vitest";
import { thing } from "../testing/test-graph.ts";
import { createChangeBuffer } from "./change-buffer.ts";
import type { Change } from "./change.ts";
import type { Subject } from "../instance/subject.ts";

const change = (subject: Subject, property: string, value: number, old: unknown = null): Change => ({
  subject,
  property,
  old,
  value,
  quality: "good",
  revision: value,
  changedAt: 0,
  receivedAt: 0,
  origin: "local",
});

test("a reader that stalls costs no more than the limit, however long it stalls", () => {
  const things = Array.from({ length: 100 }, (_, i) => thing(`t${i}`));
  const buffer = createChangeBuffer(10, (subject, property) => change(subject, property, -1));
  for (let i = 0; i < 30_000; i++) buffer.offer(change(things[i % 100] ?? thing(""), "value", i), false);
  expect(buffer.size).toBe(10);
  expect(buffer.held).toBeLessThanOrEqual(2 * 10 + 100);
  expect(buffer.dropped).toBe(29_990);
  const taken = buffer.take();
  // The newest ten as they were, the other ninety as they stand.
  expect(taken.filter(({ value }) => value !== -1)).toHaveLength(10);
  expect(taken.filter(({ value }) => value === -1)).toHaveLength(90);
  expect(buffer.take()).toEqual([]);
});

test("discrete changes are not merged, and are given up last", () => {
  const one = thing("one");
  const buffer = createChangeBuffer(3, (subject, property) => change(subject, property, -1));
  buffer.offer(change(one, "a", 1), true);
  buffer.offer(change(one, "a", 2, 1), true);
  buffer.offer(change(one, "b", 3), false);
  buffer.offer(change(one, "c", 4), false);
  expect(buffer.take().map(({ property, value }) => [property, value])).toEqual([
    ["a", 1],
    ["a", 2],
    ["c", 4],
    ["b", -1],
  ]);
  for (let i = 0; i < 1_000; i++) buffer.offer(change(one, "a", i), true);
  expect(buffer.size).toBe(3);
  expect(buffer.held).toBeLessThanOrEqual(8);
});

test("merged changes keep the oldest old and the newest value, in the order in which they began", () => {
  const [one, two] = [thing("one"), thing("two")];
  const buffer = createChangeBuffer(10, () => undefined);
  buffer.offer(change(one, "a", 1, 0), false);
  buffer.offer(change(two, "a", 5, 4), false);
  buffer.offer(change(one, "b", 7, 6), false);
  buffer.offer(change(one, "a", 2, 1), false);
  expect(buffer.take().map(({ property, old, value }) => [property, old, value])).toEqual([
    ["a", 0, 2],
    ["a", 4, 5],
    ["b", 6, 7],
  ]);
});
