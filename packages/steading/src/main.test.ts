import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "steading-main-"))));
afterAll(() => rmSync(dir, { recursive: true }));

test("help names every command, shows examples and ends with 0", async () => {
  const run = runMain(["--help"]);
  expect(await run.code).toBe(0);
  for (const command of ["start", "demo", "call", "stdio"]) expect(run.out()).toContain(`\n  ${command} `);
  expect(run.out()).toContain("Examples:");
  expect(run.err()).toBe("");
});

// @proves steading.command.colour-only-on-terminal
test("help that does not go to a terminal has no colour codes", async () => {
  const run = runMain(["start", "--help"]);
  expect(await run.code).toBe(0);
  expect(run.out()).not.toContain("\u001b");
});

test("version is one line", async () => {
  const run = runMain(["--version"]);
  expect(await run.code).toBe(0);
  expect(run.out()).toMatch(/^steading \d+\.\d+\.\d+\n$/);
});

// @proves steading.flag.same-for-start-and-demo
test("start and demo take the same flags", async () => {
  const [start, demo] = [runMain(["start", "--help"]), runMain(["demo", "--help"])];
  await Promise.all([start.code, demo.code]);
  const flags = (text: string): readonly string[] => text.match(/^ {2,}--?[a-z-]+/gm) ?? [];
  expect(flags(start.out())).toEqual(flags(demo.out()));
  for (const flag of [
    "host",
    "port",
    "farm-port",
    "device-port",
    "mqtt-port",
    "data",
    "config",
    "ready-file",
    "json",
  ]) {
    expect(start.out()).toContain(`--${flag}`);
  }
});

// @proves steading.flag.unknown-names-nearest
test.each([
  ["start", "--prot", "--port"],
  ["demo", "--reddy-file", "--ready-file"],
  ["start", "--enable-blackbord", "--enable-blackboard"],
])("%s %s ends with 2 and names %s", async (command, flag, near) => {
  const run = runMain([command, flag, "x"]);
  expect(await run.code).toBe(2);
  expect(run.err()).toContain(flag);
  expect(run.err()).toContain(`Did you mean ${near}?`);
});

test("an unknown command ends with 2 and names the nearest", async () => {
  const run = runMain(["strat"]);
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("Did you mean start?");
});

test.each(["70000", "-1", "http", "1.5"])("a port %s is refused with 2 and what a port is", async (port) => {
  const run = runMain(["start", `--port=${port}`]);
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("0 to 65535");
});

// @proves steading.config.schema-checked steading.config.file-name
test("a settings file with a mistake ends the start with 2, the line and the fix", async () => {
  writeFileSync(join(dir, "steading.config.yaml"), "access: read\nlapms: []\n");
  const run = runMain(["start", "--data", join(dir, "data"), "--port", "0"], { workingDirectory: dir });
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("steading.config.yaml:2: lapms is not a setting; did you mean lamps?");
});

test("a settings file that does not exist ends the start with 2", async () => {
  const run = runMain(["start", "--config", join(dir, "none.yaml")]);
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("none.yaml cannot be read");
});

// @proves steading.bootstrap-token.at-least-32-characters
test("a short bootstrap token ends the start with 2", async () => {
  const run = runMain(["start", "--data", join(dir, "data")], { variables: { STEADING_BOOTSTRAP_TOKEN: "short" } });
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("at least 32");
});

// @proves steading.listen.off-loopback-refused-unprotected
test("--host off loopback without protection ends the start with 2", async () => {
  const run = runMain(["start", "--data", join(dir, "data"), "--host", "0.0.0.0"]);
  expect(await run.code).toBe(2);
  expect(run.err()).toContain("nothing protects it");
});

// @proves steading.command.call-needs-hub
test("call without a running hub ends with 3 and says what to do", async () => {
  const run = runMain(["call", "query", "--data", join(dir, "data")]);
  expect(await run.code).toBe(3);
  expect(run.err()).toContain("No hub is running");
  expect(run.err()).toContain("steading start");
});

test("call to an address where nobody answers ends with 3", async () => {
  const run = runMain(["call", "query", "--url", "http://127.0.0.1:1/mcp"]);
  expect(await run.code).toBe(3);
  expect(run.err()).toContain("No hub answers at http://127.0.0.1:1/mcp");
});

test.each(["{", "[]", "7"])("call with arguments that are no JSON object ends with 2: %s", async (json) => {
  const run = runMain(["call", "query", json, "--data", join(dir, "data")]);
  expect(await run.code).toBe(2);
  expect(run.err()).toMatch(/JSON/);
});

// @proves steading.command.json-everywhere
test("with --json an error is one JSON object", async () => {
  const run = runMain(["call", "query", "--json", "--data", join(dir, "data")]);
  expect(await run.code).toBe(3);
  expect(JSON.parse(run.err())).toMatchObject({ code: "NO_HUB", error: expect.stringContaining("No hub") });
});
