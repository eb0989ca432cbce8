import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SteadingError } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { chooseSettings, type SettingsChoice } from "./choose-settings.ts";
import { dataDirectory } from "./data-directory.ts";
import { readEnvironment } from "./environment.ts";
import { farmListener } from "./farm-settings.ts";
import { parseSettings } from "./read-settings.ts";

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

/** The settings in force, from a file's text, variables and flags. */
function chosen(text: string, variables: Record<string, string> = {}, given: SettingsChoice = {}) {
  const dir = mkdtempSync(join(tmpdir(), "steading-farm-settings-"));
  made.push(dir);
  writeFileSync(join(dir, "steading.config.yaml"), text);
  const environment = readEnvironment(variables);
  return chooseSettings({ given, environment, places: [dir], workingDirectory: dir });
}

const portOf = (text: string, variables?: Record<string, string>, given?: SettingsChoice): number | undefined =>
  farmListener(chosen(text, variables, given))?.port;

// @proves farm.setting.ports-default farm.setting.host-default
test("a farm listens on 127.0.0.1 port 3001, for eight hours of login; without the setting there is none", () => {
  const settings = parseSettings("farm: {}");
  expect(settings.farm).toEqual({ sessionTimeoutMs: 28_800_000, liveDescriptions: true });
  expect(settings.listen[0]).toMatchObject({ host: "127.0.0.1", port: 3000 });
  expect(farmListener(settings)).toMatchObject({ host: "127.0.0.1", port: 3001, serve: ["mcp:farm"] });
  expect(farmListener(parseSettings(""))).toBeUndefined();
  expect(farmListener(parseSettings("farm: {port: null}"))).toBeUndefined();
});

// @proves farm.setting.mcp-port steading.flag.farm-port
test("its port is the flag's, else the variable's, else the file's, else 3001", () => {
  const variables = { MCP_PORT: "4002" };
  expect(portOf("farm: {port: 4001}", variables, { farmPort: 4003 })).toBe(4003);
  expect(portOf("farm: {port: 4001}", variables)).toBe(4002);
  expect(portOf("farm: {port: 4001}")).toBe(4001);
  expect(portOf("farm: {}")).toBe(3001);
  expect(portOf("farm: {port: null}", {}, { farmPort: 0 })).toBe(0);
});

test("where the main listener takes a free port, so does the farm, unless its own is named", () => {
  expect(portOf("farm: {}", {}, { port: 0 })).toBe(0);
  expect(portOf("farm: {port: 4001}", {}, { port: 0 })).toBe(4001);
});

test("whoever names its port or a core to serve wants a farm, with or without a file", () => {
  expect(portOf("", { MCP_PORT: "4002" })).toBe(4002);
  expect(portOf("", {}, { farmPort: 4003 })).toBe(4003);
  expect(chosen("", { SENSEHUB_API_URL: "http://pi:3000" }).farm?.bridge).toEqual({ url: "http://pi:3000" });
  expect(chosen("", { SESSION_TIMEOUT: "60000", MCP_API_KEY: "k".repeat(32) }).farm).toBeUndefined();
});

test("in front of a core, PORT is the MCP server's own, as SenseHub's has it; else it is the main listener's", () => {
  const bridge = chosen("", { SENSEHUB_API_URL: "http://pi:3000", PORT: "4004" });
  expect([farmListener(bridge)?.port, bridge.listen[0]?.port]).toEqual([4004, 3000]);
  const own = chosen("farm: {}", { PORT: "4004" });
  expect([farmListener(own)?.port, own.listen[0]?.port]).toEqual([3001, 4004]);
});

// @proves farm.setting.session-timeout-default
test("SESSION_TIMEOUT is how long a login lasts, and what is no time is refused by name", () => {
  expect(chosen("farm: {}").farm?.sessionTimeoutMs).toBe(28_800_000);
  expect(chosen("farm: {sessionTimeoutMs: 120000}", { SESSION_TIMEOUT: "3600000" }).farm?.sessionTimeoutMs).toBe(
    3_600_000,
  );
  for (const SESSION_TIMEOUT of ["8h", "-1", "0", "59999", "1e9", "99999999999"])
    expect(() => readEnvironment({ SESSION_TIMEOUT }), SESSION_TIMEOUT).toThrow(/^SESSION_TIMEOUT is in milliseconds/);
});

test("DB_PATH names the place beside which the hub keeps its state, unless somebody named the hub's own", () => {
  const variables = { HOME: "/home/anna", DB_PATH: "/var/lib/sensehub/sensehub.db" };
  expect(dataDirectory(undefined, readEnvironment(variables))).toBe("/var/lib/sensehub/steading");
  expect(dataDirectory(undefined, readEnvironment({ ...variables, STEADING_DATA: "/y" }))).toBe("/y");
  expect(dataDirectory("/x", readEnvironment(variables))).toBe("/x");
});

// @proves farm.mcp-auth.static-key-no-default
test("MCP_API_KEY is an operator's unless a role is named, has no default, and may not be guessable", () => {
  expect(readEnvironment({}).farm).toBeUndefined();
  const key = "Jf83-kd_02.mLq7~Zx";
  expect(readEnvironment({ MCP_API_KEY: key }).farm?.credentials?.apiKey).toEqual({ key, role: "operator" });
  expect(readEnvironment({ MCP_API_KEY: key, MCP_API_KEY_ROLE: "viewer" }).farm?.credentials?.apiKey?.role).toBe(
    "viewer",
  );
  expect(() => readEnvironment({ MCP_API_KEY: key, MCP_API_KEY_ROLE: "root" })).toThrow(
    /^MCP_API_KEY_ROLE is not a role/,
  );
  for (const MCP_API_KEY of ["short", "a key with blanks inside"])
    expect(() => readEnvironment({ MCP_API_KEY })).toThrow(/^MCP_API_KEY needs at least 16/);
});

test("what belongs together is given together, and an address is an address", () => {
  const service = { MCP_SENSEHUB_EMAIL: "hub@farm.example", MCP_SENSEHUB_PASSWORD: "owl in the orchard" };
  expect(readEnvironment(service).farm?.credentials?.service).toEqual({
    email: "hub@farm.example",
    password: "owl in the orchard",
  });
  expect(() => readEnvironment({ MCP_SENSEHUB_EMAIL: "hub@farm.example" })).toThrow(/belong together/);
  for (const SENSEHUB_API_URL of ["localhost:3000", "ftp://pi", "pi"])
    expect(() => readEnvironment({ SENSEHUB_API_URL })).toThrow(/^SENSEHUB_API_URL is not an address/);
  expect(() => readEnvironment({ MCP_PORT: "farm" })).toThrow(/^MCP_PORT is not a port/);
});

test("it is reached as the main listener is, unless it says otherwise", () => {
  const text = "listen: [{host: 0.0.0.0, insecure: true, allowedHosts: [farm.lan]}]\nfarm: {}";
  expect(farmListener(parseSettings(text))).toMatchObject({
    host: "0.0.0.0",
    insecure: true,
    allowedHosts: ["farm.lan"],
  });
  const apart = farmListener(parseSettings(text.replace("farm: {}", "farm: {host: 127.0.0.1}")));
  expect(apart).toMatchObject({ host: "127.0.0.1", insecure: true });
  const withHost = chosen("listen: [{insecure: true, allowedHosts: [pi]}]\nfarm: {}", { HOST: "192.0.2.7" });
  expect(farmListener(withHost)?.host).toBe("192.0.2.7");
  // Its own addresses are names enough.
  expect(farmListener(parseSettings("farm: {host: 192.0.2.7, insecure: true}"))?.allowedHosts).toEqual([]);
});

test("off loopback with nothing to protect it, it is refused by the name of its setting", () => {
  const refusal = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof SteadingError) return error.message;
    }
    return expect.fail("it was accepted");
  };
  expect(refusal(() => parseSettings("farm:\n  host: 0.0.0.0\n"))).toMatch(
    /^steading\.config\.yaml:2: farm\.host: 0\.0\.0\.0 can be reached .*insecure: true/,
  );
  // What it has from the main listener is told once, there.
  expect(refusal(() => parseSettings("listen:\n  - host: 0.0.0.0\nfarm: {}\n")).split("\n")).toHaveLength(1);
  expect(refusal(() => parseSettings("farm:\n  prot: 1\n"))).toBe(
    "steading.config.yaml:2: prot is not a setting; did you mean port?",
  );
  expect(refusal(() => parseSettings("farm:\n  bridge: {url: pi}\n"))).toMatch(
    /farm\.bridge\.url.*write a whole address/,
  );
});
