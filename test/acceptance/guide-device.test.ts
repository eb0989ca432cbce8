import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainEnvironment } from "../support/steading-command.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

// What a reader of docs/guide/your-own-device.md does: paste the block into a file of their own, and run it.

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(new URL("../../docs/guide/your-own-device.md", import.meta.url), "utf8");
const [block = ""] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? "");

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  await symlink(`${ROOT}node_modules`, folder.at("node_modules"));
  await writeFile(folder.at("package.json"), JSON.stringify({ name: "readers-own", type: "module" }));
  await writeFile(folder.at("pump.ts"), block);
});
afterAll(() => folder.remove());

describe("a device of your own", () => {
  test("takes fewer than forty lines", () => {
    expect(block.trimEnd().split("\n").length).toBeLessThan(40);
    expect(block).toContain("defineSubject");
  });

  // @proves subjects.api.type-stripping
  test("compiles as strictly as the rest, and so does all that it stands on: only syntax that can be erased", async () => {
    const compilerOptions = {
      noEmit: true,
      incremental: false,
      composite: false,
      customConditions: ["@steading/source"],
    };
    await writeFile(
      folder.at("tsconfig.json"),
      JSON.stringify({
        extends: `${ROOT}tsconfig.base.json`,
        compilerOptions: { ...compilerOptions, typeRoots: [`${ROOT}node_modules/@types`] },
        files: ["pump.ts"],
      }),
    );
    const tsc = `${ROOT}node_modules/typescript/bin/tsc`;
    expect(readFileSync(`${ROOT}tsconfig.base.json`, "utf8")).toContain('"erasableSyntaxOnly": true');
    await expect(run(process.execPath, [tsc, "-p", folder.at("tsconfig.json")])).resolves.toMatchObject({ stdout: "" });
  });

  // @proves subjects.api.type-stripping
  test("stands on sources without decorators", () => {
    const sources = `${ROOT}packages/subjects/src`;
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(100);
    const decorated = files.filter((file) => /^\s*@\w/m.test(readFileSync(`${sources}/${file}`, "utf8")));
    expect(decorated).toEqual([]);
  });

  // @proves subjects.api.type-stripping
  test("runs as it stands, its types merely taken away and no compiler switch set, and the pump is seen to run", async () => {
    await writeFile(folder.at("empty.json"), "{}");
    const { stdout } = await run(
      process.execPath,
      ["--conditions=@steading/source", "--import", "tsx", folder.at("pump.ts")],
      { cwd: ROOT, env: { ...plainEnvironment(), TSX_TSCONFIG_PATH: folder.at("empty.json") } },
    );
    expect(stdout).toMatch(/success: true/);
    expect(stdout).toMatch(/status: 'confirmed'/);
    expect(stdout).toMatch(/stage: 'observed'/);
  });
});
