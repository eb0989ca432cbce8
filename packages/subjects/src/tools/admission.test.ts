import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, type AdmissionOptions, type AdmissionResult } from "./admission.ts";
import { jsonSize } from "./json-size.ts";
import { breadthFirst, type Tree } from "./breadth-first.ts";

const flat = (keys: readonly string[]): AdmissionOptions<string> => {
  const tree: Tree<string> = { children: () => [], isShared: () => false };
  return {
    places: () => breadthFirst(tree, { branches: keys.map((key) => ({ step: key, subject: key })) }, 1),
    limit: 100,
    room: 100_000,
    draw: (place) => ({ node: { $type: place.subject }, size: jsonSize({ $type: place.subject }) }),
  };
};
const steps = (result: AdmissionResult) => Object.keys(result.subjects);

describe("admission", () => {
  test("the limit cuts, tells how many are left out, and gives the place to go on from", () => {
    const result = admit({ ...flat(["a", "b", "c"]), limit: 1 });
    expect(steps(result)).toEqual(["a"]);
    expect(result).toMatchObject({
      subjectCount: 1,
      truncatedBy: "subjects",
      omitted: 2,
      stop: { steps: ["a"], admitted: 1 },
    });
  });

  test("as many as the limit is not a cut", () => {
    expect(admit({ ...flat(["a", "b"]), limit: 2 })).not.toHaveProperty("truncatedBy");
  });

  test("the size budget cuts before the node that would not fit", () => {
    const result = admit({ ...flat(["a", "b", "c"]), room: 35 });
    expect(steps(result)).toEqual(["a"]);
    expect(result.truncatedBy).toBe("size");
  });

  test("a node larger than the whole budget still goes out when it is alone, so that the reader gets on", () => {
    expect(steps(admit({ ...flat(["a", "b"]), room: 1 }))).toEqual(["a"]);
  });

  test("pages put together are the whole, whatever is inserted before the place or removed elsewhere", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string().map((text) => `k${text}`),
          { maxLength: 30 },
        ),
        fc.integer({ min: 1, max: 7 }),
        (keys, limit) => {
          const seen: string[] = [];
          let present = keys;
          let after: AdmissionOptions<string>["after"];
          for (let page = 0; page < 40; page++) {
            const result = admit({ ...flat(present), limit, ...(after === undefined ? {} : { after }) });
            seen.push(...Object.values(result.subjects).map((node) => (node as { $type: string }).$type));
            if (result.stop === undefined) break;
            after = result.stop;
            present = [`inserted before ${page}`, ...present];
          }
          expect(seen).toEqual(keys);
        },
      ),
    );
  });

  test("nodes nest below their parents, and carry their whole path when the parent was on an earlier page", () => {
    const net: Readonly<Record<string, readonly string[]>> = { "": ["a", "b"], a: ["c"], b: ["d"] };
    const branches = (name: string) => (net[name] ?? []).map((step) => ({ step, subject: step }));
    const tree: Tree<string> = { children: branches, isShared: () => false };
    const options = { ...flat([]), places: () => breadthFirst(tree, { branches: branches("") }, 5) };
    expect(admit(options).subjects).toEqual({
      a: { $type: "a", c: { $type: "c" } },
      b: { $type: "b", d: { $type: "d" } },
    });
    const after = admit({ ...options, limit: 1 }).stop;
    if (after === undefined) throw new Error("expected a cut");
    expect(admit({ ...options, after }).subjects).toEqual({
      b: { $type: "b", d: { $type: "d" } },
      "a/c": { $type: "c" },
    });
  });

  test("when the place itself is gone, its number is used", () => {
    const first = admit({ ...flat(["a", "b", "c", "d"]), limit: 2 });
    const after = first.stop;
    if (after === undefined) throw new Error("expected a cut");
    expect(steps(admit({ ...flat(["a", "x", "c", "d"]), after }))).toEqual(["c", "d"]);
  });
});
