import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breadthFirst, isAt, joinSteps, stepsTo, type Tree } from "./breadth-first.ts";

type Net = Readonly<Record<string, readonly string[]>>;
const treeOf = (net: Net): Tree<string> => ({
  children: (subject) => (net[subject] ?? []).map((name) => ({ step: name, subject: name })),
  isShared: (subject) =>
    Object.values(net)
      .flat()
      .filter((name) => name === subject).length > 1,
});
const walk = (net: Net, depth: number, leaveOut?: (s: string) => boolean) => {
  const tree = treeOf(net);
  return [...breadthFirst(tree, { subject: "root", branches: tree.children("root") }, depth, leaveOut)];
};

describe("breadth-first walk", () => {
  test("one level is finished before the next begins", () => {
    const places = walk({ root: ["a", "b"], a: ["a1", "a2"], b: ["b1"], a1: ["deep"] }, 10);
    expect(places.map((p) => stepsTo(p).join("/"))).toEqual(["a", "b", "a/a1", "a/a2", "b/b1", "a/a1/deep"]);
  });

  test("depth bounds it, and depth 0 walks nothing", () => {
    const net = { root: ["a"], a: ["b"], b: ["c"] };
    expect(walk(net, 2)).toHaveLength(2);
    expect(walk(net, 0)).toEqual([]);
  });

  test("a shared subject is entered at its shallowest place, and cycles end", () => {
    const net = { root: ["a", "s"], a: ["s", "root"], s: ["t", "s"], t: ["a"] };
    const places = walk(net, 10);
    expect(places.map((p) => `${stepsTo(p).join("/")}${p.isRepeat ? "*" : ""}`)).toEqual([
      "a",
      "s",
      "a/s*",
      "a/root*",
      "s/t",
      "s/s*",
      "s/t/a*",
    ]);
  });

  test("what is left out takes its subtree along", () => {
    expect(walk({ root: ["a", "b"], a: ["a1"] }, 10, (s) => s === "a").map((p) => p.step)).toEqual(["b"]);
  });

  test("a reader who stops early stops the work", () => {
    let looked = 0;
    const tree: Tree<number> = {
      *children() {
        for (let i = 0; ; i++) {
          looked++;
          yield { step: `[${i}]`, subject: looked };
        }
      },
      isShared: () => false,
    };
    let taken = 0;
    for (const _ of breadthFirst(tree, { branches: tree.children(0) }, 3)) if (++taken === 100) break;
    expect(looked).toBe(100);
  });

  test("every subject within reach is entered exactly once, whatever the shape", () => {
    const names = ["root", "a", "b", "c", "d", "e"];
    const nets = fc.record(
      Object.fromEntries(names.map((n) => [n, fc.array(fc.constantFrom(...names), { maxLength: 4 })])),
    );
    fc.assert(
      fc.property(nets, (net) => {
        const entered = walk(net, 10).filter((p) => !p.isRepeat);
        expect(new Set(entered.map((p) => p.subject)).size).toBe(entered.length);
        expect(entered.every((p, i) => i === 0 || (entered[i - 1]?.level ?? 0) <= p.level)).toBe(true);
        expect(entered.every((p) => isAt(p, stepsTo(p)))).toBe(true);
      }),
    );
  });

  test("steps join with slashes, keys of a bare collection directly", () => {
    expect(joinSteps("/", ["barn", "stalls[7]"])).toBe("/barn/stalls[7]");
    expect(joinSteps("/barn/stalls", ["[7]", "feed"])).toBe("/barn/stalls[7]/feed");
    expect(joinSteps("", ["climate", "fan"])).toBe("climate/fan");
  });
});
