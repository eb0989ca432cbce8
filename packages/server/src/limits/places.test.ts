import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlaces } from "./places.ts";

test("no more places are held than there are, in all and by one principal, and each comes back once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean())), (steps) => {
      const places = createPlaces({ total: 4, perPrincipal: 2 });
      const held: { principal: string; release(): void }[] = [];
      for (const [principal, takes] of steps) {
        if (takes) {
          const own = held.filter((each) => each.principal === principal).length;
          const release = places.take(principal);
          expect(release !== undefined).toBe(held.length < 4 && own < 2);
          if (release !== undefined) held.push({ principal, release });
        } else {
          const last = held.pop();
          last?.release();
          last?.release();
        }
        expect(places.taken).toBe(held.length);
      }
    }),
  );
});
