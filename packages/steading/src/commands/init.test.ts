import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../settings/read-settings.ts";
import { runMain } from "../testing/run-main.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "steading-init-"))));
afterEach(() => rmSync(dir, { recursive: true }));

const file = (): string => join(dir, "steading.config.yaml");

async function init(flags: readonly string[], typed?: string) {
  const stdin = Object.assign(new PassThrough(), typed === undefined ? {} : { isTTY: true, setRawMode: () => {} });
  stdin.end(typed ?? "");
  const ran = runMain(["init", ...flags], { workingDirectory: dir, stdin });
  return { code: await ran.code, out: ran.out(), err: ran.err() };
}

// @proves steading.command.init steading.access.init-default-read steading.init.asks-access steading.init.explains-read
test("the wizard explains what read means before it asks, and whoever only presses return gets a hub that reads", async () => {
  const { code, out, err } = await init([], "\n\n\n\n\n");
  expect(code, err).toBe(0);
  expect(out).toContain("steading start");
  expect(err.indexOf("switch nothing on")).toBeLessThan(err.indexOf("read or write?"));
  expect(err).toContain("set `access: write` in the file");
  expect(readSettings(file())).toMatchObject({
    access: "read",
    listen: [{ host: "127.0.0.1", port: 3000 }],
    lamps: [],
  });
  expect(readSettings(file()).farm).toBeUndefined();
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test("answers become settings, and one that is impossible is asked for again", async () => {
  const answers = ["perhaps", "write", "70000", "8080", "y", "ha ll", "hall", "192.168.1.20", "4001", "n", "y", "y"];
  const { code, err } = await init([], `${answers.join("\n")}\n`);
  expect(code, err).toBe(0);
  expect(err).toContain("That is not possible here.");
  expect(readSettings(file())).toMatchObject({
    access: "write",
    listen: [{ port: 8080 }],
    lamps: [{ name: "hall", host: "192.168.1.20", port: 4001 }],
    farm: { liveDescriptions: true },
  });
});

test("the file is shown before it is written, and a no writes nothing", async () => {
  const { code, out, err } = await init([], "\n\n\n\nno\n");
  expect(code).toBe(0);
  expect(err).toContain("access: read\n");
  expect(out).toBe("Nothing was written.\n");
  expect(existsSync(file())).toBe(false);
});

test("without a terminal --yes takes the defaults and flags, and its absence is told", async () => {
  expect(await init([])).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const { out } = await init(["--yes", "--access", "write", "--port", "0", "--farm", "--json"]);
  expect(JSON.parse(out)).toEqual({ file: file(), written: true });
  expect(readSettings(file())).toMatchObject({ access: "write", listen: [{ port: 0 }], farm: {} });
});

test("a file that is there, and a wizard that is left alone, change nothing", async () => {
  expect(await init([], "read\n")).toMatchObject({ code: 2, err: expect.stringContaining("There was no answer") });
  expect(existsSync(file())).toBe(false);
  await init(["--yes"]);
  const before = readFileSync(file(), "utf8");
  expect(await init(["--yes"])).toMatchObject({ code: 2, err: expect.stringContaining("exists already") });
  expect(readFileSync(file(), "utf8")).toBe(before);
});
