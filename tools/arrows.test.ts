import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkArrows, requireSwc, unread } from "./arrows.mjs";
import { createPlantedTree, type PlantedTree } from "./planted-tree.ts";

let tree: PlantedTree;
beforeEach(() => {
  tree = createPlantedTree();
});
afterEach(() => tree[Symbol.dispose]());

async function objectionsTo(files: Record<string, string>): Promise<string[]> {
  tree.plant(files);
  const { objections } = await checkArrows({ root: tree.root });
  return objections.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`);
}

test("a tree that follows the picture has nothing to object to", async () => {
  const found = await objectionsTo({
    "packages/subjects/src/index.ts": `import { kernel } from "@steading/kernel";\nexport const graph = kernel;\n`,
    "packages/lamp/src/index.ts": `import { graph } from "@steading/subjects";\nimport { z } from "zod";\nexport const lamp = [graph, z];\n`,
    "packages/lamp/src/wire.ts": `import { connect } from "node:net";\nimport { lamp } from "./index.ts";\nexport const wire = [connect, lamp];\n`,
    "packages/steading/src/index.ts": `export { lamp } from "@steading/lamp";\nexport { sim } from "@steading/sim";\n`,
    "packages/kernel/src/hash.ts": `import { createHash } from "node:crypto";\nexport const hash = createHash;\n`,
    "test/acceptance/lamp.test.ts": `import { test } from "vitest";\nimport { lamp } from "@steading/lamp";\ntest(String(lamp), () => {});\n`,
  });

  expect(found).toEqual([]);
});

describe("arrows that are not in the picture", () => {
  // @proves kernel.arrows.upward-import-fails kernel.arrows.planted-import-is-caught
  test("upwards: kernel may not import subjects, not even for a type", async () => {
    const found = await objectionsTo({
      "packages/kernel/src/up.ts": `import type { Graph } from "@steading/subjects";\nexport type Up = Graph;\n`,
    });

    expect(found).toContain("arrow: packages/kernel/src/up.ts → @steading/subjects");
  });

  // @proves kernel.arrows.sideways-import-fails kernel.arrows.parts-never-import-each-other kernel.arrows.server-names-no-part
  test("sideways: one part may not import another, and server may not name a part", async () => {
    const found = await objectionsTo({
      "packages/farm/src/side.ts": `export { lamp } from "@steading/lamp";\n`,
      "packages/server/src/side.ts": `export { lamp } from "@steading/lamp";\n`,
    });

    expect(found).toContain("arrow: packages/farm/src/side.ts → @steading/lamp");
    expect(found).toContain("arrow: packages/server/src/side.ts → @steading/lamp");
  });

  const PICTURE: Readonly<Record<string, readonly string[]>> = {
    kernel: [],
    subjects: ["kernel"],
    store: ["kernel"],
    server: ["kernel"],
    lamp: ["kernel", "subjects"],
    ebus: ["kernel", "subjects"],
    farm: ["kernel", "subjects"],
    devices: ["kernel", "subjects"],
    orchestrator: ["kernel", "subjects"],
    sim: [],
    "device-sdk": [],
  };

  // @proves kernel.arrows.subjects-imports-kernel-only kernel.arrows.store-imports-kernel-only kernel.arrows.server-imports-kernel-only
  // @proves kernel.arrows.parts-import-kernel-and-subjects-only kernel.arrows.device-sdk-imports-nothing-of-ours
  // @proves kernel.arrows.only-steading-knows-every-part
  test("every package may import what the picture has below it and nothing else of ours", async () => {
    const everyone = [...Object.keys(PICTURE), "steading", "console"];
    const files = Object.keys(PICTURE).map((name): [string, string] => {
      const others = everyone.filter((other) => other !== name);
      const lines = others.map((other) => `import * as ${other.replaceAll("-", "")} from "@steading/${other}";`);
      return [
        `packages/${name}/src/all.ts`,
        `${lines.join("\n")}\nexport const all = [${others.map((other) => other.replaceAll("-", "")).join()}];\n`,
      ];
    });
    const found = (await objectionsTo(Object.fromEntries(files))).filter((line) => line.startsWith("arrow"));

    for (const [name, below] of Object.entries(PICTURE)) {
      const refused = everyone.filter((other) => other !== name && !below.includes(other));
      const expected = refused.map((other) => `arrow: packages/${name}/src/all.ts → @steading/${other}`);
      expect(found.filter((line) => line.includes(`packages/${name}/`)).toSorted()).toEqual(expected.toSorted());
    }
  });

  // @proves kernel.arrows.sim-imports-nothing-of-ours
  test("sim imports nothing of ours, also in its tests", async () => {
    const found = await objectionsTo({
      "packages/sim/src/lamp.ts": `import { kernel } from "@steading/kernel";\nexport const simulated = kernel;\n`,
      "packages/sim/src/lamp.test.ts": `import { lamp } from "@steading/lamp";\nexport const driver = lamp;\n`,
    });

    expect(found).toContain("arrow: packages/sim/src/lamp.ts → @steading/kernel");
    expect(found).toContain("arrow: packages/sim/src/lamp.test.ts → @steading/lamp");
  });

  test("a part's tests may stand on sim, its code may not", async () => {
    const text = `import { sim } from "@steading/sim";\nexport const fake = sim;\n`;
    const found = await objectionsTo({ "packages/lamp/src/drive.test.ts": text, "packages/lamp/src/drive.ts": text });

    expect(found.filter((line) => line.startsWith("arrow"))).toEqual([
      "arrow: packages/lamp/src/drive.ts → @steading/sim",
    ]);
  });

  // @proves kernel.arrows.console-imports-types-only
  test("the console may name types and nothing else", async () => {
    const found = await objectionsTo({
      "packages/console/package.json": JSON.stringify({ dependencies: { "@steading/kernel": "1" }, exports: {} }),
      "packages/console/src/types.ts": `import type { Json } from "@steading/kernel";\nexport type Row = Json;\n`,
      "packages/console/src/code.ts": `import { kernel } from "@steading/kernel";\nexport const row = kernel;\n`,
    });

    expect(found).toEqual(["arrow: packages/console/src/code.ts → @steading/kernel"]);
  });

  test("an import hidden in a function is seen", async () => {
    const found = await objectionsTo({
      "packages/kernel/src/late.ts": `export const late = () => import("@steading/server");\n`,
    });

    expect(found).toContain("arrow: packages/kernel/src/late.ts → @steading/server");
  });

  test("a package without a line in the table is asked for one", async () => {
    const found = await objectionsTo({
      "packages/newcomer/src/index.ts": `export { kernel } from "@steading/kernel";\n`,
    });

    expect(found).toContain("known-package: packages/newcomer/src/index.ts → @steading/kernel");
  });

  test("tools import no package", async () => {
    const found = await objectionsTo({ "tools/late.mjs": `export { kernel } from "@steading/kernel";\n` });

    expect(found).toEqual(["arrow: tools/late.mjs → @steading/kernel"]);
  });
});

describe("other rules", () => {
  // @proves kernel.arrows.deep-import-fails
  test("a deep import past a front door is refused by name and by path", async () => {
    const found = await objectionsTo({
      "packages/kernel/src/door.ts": `export const door = 1;\n`,
      "packages/subjects/src/deep.ts": `import { door } from "@steading/kernel/src/door.ts";\nexport const deep = door;\n`,
      "packages/store/src/deep.ts": `import { door } from "../../kernel/src/door.ts";\nexport const deep = door;\n`,
      "test/faults/deep.test.ts": `import { door } from "../../packages/kernel/src/door.ts";\nexport const deep = door;\n`,
    });

    expect(found).toEqual([
      "front-door: packages/store/src/deep.ts → ../../kernel/src/door.ts",
      "front-door: packages/subjects/src/deep.ts → @steading/kernel/src/door.ts",
      "front-door: test/faults/deep.test.ts → ../../packages/kernel/src/door.ts",
    ]);
  });

  // @proves kernel.arrows.cycle-fails
  test("a cycle is told once, with the way round", async () => {
    tree.plant({
      "packages/farm/src/a.ts": `import { b } from "./b.ts";\nexport const a = () => b;\n`,
      "packages/farm/src/b.ts": `import { c } from "./c.ts";\nexport const b = () => c;\n`,
      "packages/farm/src/c.ts": `import { a } from "./a.ts";\nexport const c = () => a;\n`,
    });
    const { objections } = await checkArrows({ root: tree.root });

    expect(objections.map(({ rule }) => rule)).toEqual(["cycle"]);
    expect(objections[0]?.message).toContain(
      "a.ts → packages/farm/src/b.ts → packages/farm/src/c.ts → packages/farm/src/a.ts",
    );
  });

  // @proves kernel.arrows.undeclared-import-fails
  test("an import that the manifest does not declare is refused, although it resolves", async () => {
    const found = await objectionsTo({
      "packages/sim/src/pad.ts": `import pad from "left-pad";\nexport const padded = pad;\n`,
      "packages/server/src/graph.test.ts": `import { test } from "vitest";\ntest("x", () => {});\n`,
      "packages/server/src/graph.ts": `import { test } from "vitest";\ntest("x", () => {});\n`,
    });

    expect(found).toContain("declared: packages/sim/src/pad.ts → left-pad");
    expect(found).toContain("declared: packages/server/src/graph.ts → vitest");
    expect(found.join()).not.toContain("graph.test.ts");
  });

  test("kernel uses no Node module but node:crypto, with or without the prefix", async () => {
    const found = await objectionsTo({
      "packages/kernel/src/disk.ts": `import { readFileSync } from "node:fs";\nimport { hostname } from "os";\nexport const disk = [readFileSync, hostname];\n`,
    });

    expect(found).toEqual([
      "kernel-does-no-io: packages/kernel/src/disk.ts → fs",
      "kernel-does-no-io: packages/kernel/src/disk.ts → os",
    ]);
  });

  test("kernel's tests may read files, its testing entry may not", async () => {
    const text = `import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n`;
    const found = await objectionsTo({
      "packages/kernel/src/errors.test.ts": text,
      "packages/kernel/src/testing/read.ts": text,
    });

    expect(found).toEqual(["kernel-does-no-io: packages/kernel/src/testing/read.ts → fs"]);
  });

  test("kernel's testing entry may use vitest", async () => {
    const found = await objectionsTo({
      "packages/kernel/src/testing/ledger-contract.ts": `import { test } from "vitest";\ntest("x", () => {});\n`,
    });

    expect(found).toEqual([]);
  });

  test("a library is imported in its own folder only, and one without a home is asked for it", async () => {
    const dependencies = { pino: "1", "left-pad": "1" };
    const found = await objectionsTo({
      "packages/server/package.json": JSON.stringify({ dependencies, exports: { ".": "./src/index.ts" } }),
      "packages/server/src/log.ts": `import { pino } from "pino";\nexport const log = pino;\n`,
      "packages/server/src/pad.ts": `import pad from "left-pad";\nexport const padded = pad;\n`,
    });

    expect(found).toEqual([
      "library-home: packages/server/src/log.ts → pino",
      "library-home: packages/server/src/pad.ts → left-pad",
    ]);
  });

  test("an import that leads nowhere is refused rather than skipped", async () => {
    const found = await objectionsTo({ "packages/farm/src/lost.ts": `export { lost } from "./gone.ts";\n` });

    expect(found).toEqual(["resolvable: packages/farm/src/lost.ts → ./gone.ts"]);
  });

  // @proves kernel.arrows.unreadable-file-is-not-success
  test("a file that cannot be parsed stops the check instead of passing it", async () => {
    tree.plant({ "packages/farm/src/broken.ts": `import { x } from "zod";\nconst = ;\n` });

    await expect(checkArrows({ root: tree.root })).rejects.toThrow("broken.ts");
  });

  test("imports that the parser did not report are missed aloud", () => {
    tree.plant({
      "packages/farm/src/seen.ts": `import {\n  lamp,\n} from "@steading/lamp";\nexport const seen = lamp;\n`,
      "packages/farm/src/plain.ts": `export const from = "nothing";\n`,
    });
    const files = ["packages/farm/src/seen.ts", "packages/farm/src/plain.ts"];

    expect(unread(tree.root, files, []).map(({ from }) => from)).toEqual(["packages/farm/src/seen.ts"]);
  });

  test("without its parser the check refuses to run", () => {
    const absent = { name: "swc", version: "1", available: false, currentVersion: "-" };

    expect(() => requireSwc([absent])).toThrow("@swc/core");
    expect(() => requireSwc([{ ...absent, available: true }])).not.toThrow();
  });

  // @proves kernel.arrows.message-says-what-to-do
  test("every objection says what to do instead", async () => {
    tree.plant({
      "packages/kernel/src/up.ts": `import { graph } from "@steading/subjects";\nexport const up = graph;\n`,
    });
    const { objections } = await checkArrows({ root: tree.root });

    expect(objections.find(({ rule }) => rule === "arrow")?.message).toMatch(
      /graph, the journal or the door.*move the shared word down/,
    );
  });
});
