import { expect, test } from "vitest";
import { createTurnTaker } from "./turn-taker.ts";

function* slices(name: string, count: number, said: string[]): Generator<void, string> {
  for (let n = 1; n <= count; n++) {
    said.push(`${name}${n}`);
    if (n < count) yield;
  }
  return name;
}

test("long work takes turns, so that a short question overtakes it", () => {
  const waiting: (() => void)[] = [];
  const turns = createTurnTaker({ later: (run) => waiting.push(run) });
  const said: string[] = [];
  const done = (result: unknown) => said.push(JSON.stringify(result));
  turns.add(1, slices("a", 4, said), done);
  turns.add(2, slices("b", 1, said), done);
  turns.add(3, slices("c", 9, said), done);
  while (waiting.length > 0) {
    waiting.shift()?.();
    if (said.includes("c2")) turns.cancel(3);
  }
  expect(said).toEqual(["a1", "b1", '{"value":"b"}', "c1", "a2", "c2", "a3", "a4", '{"value":"a"}']);
});

test("work that throws is answered with what it threw, and the rest goes on", () => {
  const waiting: (() => void)[] = [];
  const turns = createTurnTaker({ later: (run) => waiting.push(run) });
  const results: unknown[] = [];
  // eslint-disable-next-line require-yield
  function* broken(): Generator<void, never> {
    throw new Error("page 7 is damaged");
  }
  turns.add(1, broken(), (result) => results.push(result));
  turns.add(2, slices("a", 2, []), (result) => results.push(result));
  while (waiting.length > 0) waiting.shift()?.();
  expect(results).toEqual([{ error: new Error("page 7 is damaged") }, { value: "a" }]);
});
