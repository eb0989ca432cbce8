import * as fc from "fast-check";
import { expect, test } from "vitest";
import { breadthFirst, joinSteps, stepsTo } from "./breadth-first.ts";
import { inTreeOrder } from "./tree-order.ts";

interface Twig {
  readonly name: string;
  readonly below: readonly Twig[];
}
const branches = (twig: Twig) => twig.below.map((child, n) => ({ step: `${child.name}${n}`, subject: child }));

test("hits in any order come out as a breadth-first walk would meet them", () => {
  const name = fc.constantFrom("z", "a", "m");
  const twig = fc.memo((levels): fc.Arbitrary<Twig> =>
    fc.record({ name, below: levels <= 1 ? fc.constant([]) : fc.array(twig(levels - 1), { maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(twig(4), fc.infiniteStream(fc.nat(1_000)), (root, random) => {
      const walk = [
        ...breadthFirst<Twig>({ children: branches, isShared: () => false }, { branches: branches(root) }, 20),
      ];
      const paths = walk.map((place) => joinSteps("", stepsTo(place)));
      const byPath = new Map(walk.map((place, n) => [paths[n] ?? "", place.subject]));
      const shuffled = paths.map((path) => ({ path, key: random.next().value ?? 0 })).toSorted((a, b) => a.key - b.key);
      const ordered = inTreeOrder(shuffled, (prefix) => branches(prefix === "" ? root : (byPath.get(prefix) ?? root)));
      expect(ordered.map(({ path }) => path)).toEqual(paths);
    }),
  );
});

test("a huge collection is not gone through: what lies beyond the bound keeps its order", () => {
  let looked = 0;
  function* endless() {
    for (;;) yield { step: `k${looked++}` };
  }
  const ordered = inTreeOrder([{ path: "far1" }, { path: "k3" }, { path: "far2" }, { path: "k1" }], endless);
  expect(ordered.map(({ path }) => path)).toEqual(["k1", "k3", "far1", "far2"]);
  expect(looked).toBeLessThan(10_000);
});
