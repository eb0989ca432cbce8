import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkManifest, totals, unproved } from "./manifest.mjs";
import { createPlantedTree, type PlantedTree } from "./planted-tree.ts";

const FARM = `
part: farm
source: the farm contract
rules:
  - { id: farm.relay.reads-back, section: "2", rule: A relay is read back. }
  - { id: farm.valve.rests, section: "3", rule: A valve rests., stage: valves }
  - { id: farm.poll.rate, section: "9", rule: A thousand points a second., kind: figure }
`;

let tree: PlantedTree;
beforeEach(() => {
  tree = createPlantedTree();
  tree.plant({ "test/manifest/farm.yaml": FARM });
});
afterEach(() => tree[Symbol.dispose]());

/** Assembled here, so that this file cites nothing itself. */
const proves = (ids: string): string => `// @${"proves"} ${ids}\n`;

test("tests prove rules, benchmarks prove figures, and what nobody proves is listed", () => {
  tree.plant({
    "packages/farm/src/relay.test.ts": proves("farm.relay.reads-back"),
    "packages/farm/src/testing/relay-contract.ts": `  ${proves("farm.relay.reads-back")}`,
    "bench/poll.ts": proves("farm.poll.rate"),
  });
  const { parts, problems } = checkManifest({ root: tree.root });

  expect(problems).toEqual([]);
  expect(parts.flatMap(unproved)).toEqual(["farm.valve.rests"]);
  expect(parts.flatMap(totals)).toEqual(["farm: 2/3", "  valves: 0/1"]);
});

describe("a check that fails", () => {
  test("names a cited id that no manifest lists, with its line", () => {
    tree.plant({ "test/faults/relay.test.ts": `\n${proves("farm.relay.reads-back farm.relay.invented")}` });

    expect(checkManifest({ root: tree.root }).problems).toEqual([
      expect.stringMatching(/^test\/faults\/relay\.test\.ts:2: no manifest lists farm\.relay\.invented/),
    ]);
  });

  test("names an id that is listed twice", () => {
    tree.plant({ "test/manifest/farm.yaml": `${FARM}  - { id: farm.valve.rests, section: "3", rule: Again. }\n` });

    expect(checkManifest({ root: tree.root }).problems).toEqual([
      "farm.yaml: farm.valve.rests is listed twice; an id names one rule.",
    ]);
  });

  test("names an id cited twice in one line, and a citation of nothing", () => {
    tree.plant({ "packages/farm/src/valve.test.ts": proves("farm.valve.rests farm.valve.rests") + proves("") });

    expect(checkManifest({ root: tree.root }).problems).toEqual([
      "packages/farm/src/valve.test.ts:1: farm.valve.rests is cited twice in one line.",
      "packages/farm/src/valve.test.ts:2: @proves names no id.",
    ]);
  });

  test("keeps figures in benchmarks and everything else in tests", () => {
    tree.plant({
      "packages/farm/src/poll.test.ts": proves("farm.poll.rate"),
      "bench/valve.ts": proves("farm.valve.rests"),
    });
    const { problems, parts } = checkManifest({ root: tree.root });

    expect(problems).toHaveLength(2);
    expect(problems.join("\n")).toMatch(/poll\.rate is a figure[^]*valve\.rests is not a figure/);
    expect(parts.flatMap(totals)[0]).toBe("farm: 0/3");
  });

  test.each([
    ["another part's id", `  - { id: ebus.x, section: "1", rule: A. }`, "starts with farm."],
    ["a missing sentence", `  - { id: farm.x, section: "1" }`, "expected a section and a rule"],
    ["an unknown field", `  - { id: farm.x, section: "1", rule: A., sort: figure }`, "unknown sort"],
    ["an unknown kind", `  - { id: farm.x, section: "1", rule: A., kind: guess }`, "the only kind is"],
  ])("names %s in a manifest", (_what, line, complaint) => {
    tree.plant({ "test/manifest/farm.yaml": `${FARM}${line}\n` });

    expect(checkManifest({ root: tree.root }).problems).toEqual([expect.stringContaining(complaint)]);
  });

  test("is not content with a manifest of another shape", () => {
    tree.plant({ "test/manifest/farm.yaml": "part: barn\nrules: []\n" });
    expect(checkManifest({ root: tree.root }).problems).toEqual([expect.stringContaining("expected `part: farm`")]);
  });

  test("is not content with no manifest at all", () => {
    rmSync(join(tree.root, "test/manifest"), { recursive: true });

    expect(checkManifest({ root: tree.root }).problems).toEqual([expect.stringContaining("holds no .yaml file")]);
  });
});
