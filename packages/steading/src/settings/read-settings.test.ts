import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SteadingError } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { defaultSettings, parseSettings, readSettings } from "./read-settings.ts";

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

function refusal(text: string): string {
  try {
    parseSettings(text);
  } catch (error) {
    if (error instanceof SteadingError && error.code === "SETTINGS_INVALID") return error.message;
    throw error;
  }
  return expect.fail("the settings were accepted");
}

// @proves steading.address.default-port-3000 steading.listen.loopback-by-default mcp.endpoint.loopback-default
test("without settings one listener is on loopback port 3000", () => {
  expect(defaultSettings()).toEqual({
    access: "write",
    issuers: [],
    listen: [
      {
        host: "127.0.0.1",
        port: 3000,
        serve: ["all"],
        trustedProxy: false,
        insecure: false,
        allowedHosts: [],
        allowedOrigins: [],
      },
    ],
    limits: {},
    lamps: [],
    telemetry: {},
    log: { level: "info" },
  });
});

test("an empty file means the defaults", () => {
  expect(parseSettings("")).toEqual(defaultSettings());
  expect(parseSettings("# nothing yet\n")).toEqual(defaultSettings());
});

test("a lamp needs a name and a port, the rest has defaults", () => {
  expect(parseSettings("lamps:\n  - name: hall\n    port: 4001\n").lamps).toEqual([
    { name: "hall", host: "127.0.0.1", port: 4001, timeoutMs: 1000, pollMs: 5000 },
  ]);
});

// @proves steading.config.error-names-line steading.config.error-names-fix
test("an unknown key is told with its line and the key that was meant", () => {
  expect(refusal("access: read\nlamp:\n  - name: hall\n")).toBe(
    "steading.config.yaml:2: lamp is not a setting; did you mean lamps?",
  );
  expect(refusal("lamps:\n  - name: hall\n    port: 1\n    timeout_ms: 5\n")).toBe(
    "steading.config.yaml:4: timeout_ms is not a setting; did you mean timeoutMs?",
  );
  expect(refusal("zzzzzzzz: 1\n")).toBe(
    "steading.config.yaml:1: zzzzzzzz is not a setting; known at the top: access, publicUrl, issuers, listen, limits, ebus, farm, lamps, telemetry, log",
  );
  expect(refusal("limits:\n  bodybytes: 5\n")).toBe(
    "steading.config.yaml:2: bodybytes is not a setting; did you mean bodyBytes?",
  );
});

// @proves steading.config.error-names-line steading.config.error-names-fix steading.config.schema-checked
test("every problem is told at once, each with its line and what to write", () => {
  const text = [
    "access: maybe", // 1
    "listen:", // 2
    "  - port: abc", // 3
    "  - port: 70000", // 4
    "lamps:", // 5
    "  - name: hall", // 6
    "  - name: a b", // 7
    "    port: 1", // 8
    "log: loud", // 9
  ].join("\n");
  expect(refusal(text).split("\n")).toEqual([
    'steading.config.yaml:1: access: "maybe" does not fit; write one of write, read',
    'steading.config.yaml:3: listen[0].port: "abc" does not fit; write a whole number',
    "steading.config.yaml:4: listen[1].port: 70000 does not fit; write a number up to 65535",
    "steading.config.yaml:6: lamps[0].port is missing; add it: write a whole number",
    'steading.config.yaml:7: lamps[1].name: "a b" does not fit; use letters, digits, _ and - only, beginning with a letter or digit, at most 63 of them',
    'steading.config.yaml:9: log: "loud" does not fit; write settings of its own, indented below it',
  ]);
});

test("text that is not YAML is told with its line", () => {
  expect(refusal("access: read\nlisten: [1, 2\n")).toMatch(/^steading\.config\.yaml:\d: not YAML: .*check indentation/);
});

test("two lamps of one name are told at the second", () => {
  const text = "lamps:\n  - {name: hall, port: 1}\n  - {name: hall, port: 2}\n";
  expect(refusal(text)).toBe(
    "steading.config.yaml:3: lamps[1].name: another lamp is called hall already; give each its own name",
  );
});

// @proves steading.listen.off-loopback-refused-unprotected steading.listen.off-loopback-insecure steading.listen.off-loopback-with-trusted-proxy
test("a listener off loopback needs protection and the names it is reached by", () => {
  expect(refusal("listen:\n  - host: 0.0.0.0\n")).toMatch(
    /:2: listen\[0\]\.host: 0\.0\.0\.0 can be reached .*insecure: true/,
  );
  expect(refusal("listen:\n  - host: 0.0.0.0\n    insecure: true\n")).toMatch(/allowedHosts, for example/);
  for (const word of ["insecure", "trustedProxy"]) {
    const text = `listen:\n  - host: 0.0.0.0\n    ${word}: true\n    allowedHosts: [hub.lan]\n`;
    expect(parseSettings(text).listen[0]).toMatchObject({ host: "0.0.0.0", [word]: true });
  }
  expect(parseSettings("listen:\n  - host: '::1'\n").listen[0]?.host).toBe("::1");
});

test("a bomb of aliases and a huge file are refused", () => {
  const bomb = ["a: &a [1,1,1,1,1,1,1,1,1,1]"];
  for (let i = 1; i < 12; i += 1)
    bomb.push(`b${i}: &b${i} [${Array.from({ length: 10 }, () => `*${i === 1 ? "a" : `b${i - 1}`}`).join()}]`);
  expect(refusal(bomb.join("\n"))).toMatch(/too many aliases/);
  expect(refusal(`# ${"x".repeat(1_048_577)}`)).toMatch(/larger than 1 MiB/);
});

test("a file that cannot be read says which and what to do", () => {
  expect(() => readSettings("/nowhere/steading.config.yaml")).toThrow(
    expect.objectContaining({ code: "SETTINGS_UNREADABLE", hint: expect.stringContaining("--config") }),
  );
});

test("a file is read from disk and its problems name it", () => {
  const dir = mkdtempSync(join(tmpdir(), "steading-settings-"));
  made.push(dir);
  const file = join(dir, "mine.yaml");
  writeFileSync(file, "access: read\n");
  expect(readSettings(file).access).toBe("read");
  writeFileSync(file, "accss: read\n");
  expect(() => readSettings(file)).toThrow(`${file}:1: accss is not a setting; did you mean access?`);
});

// @proves steading.listen.off-loopback-with-tls
test("a listener off loopback may be protected by a certificate, whose files lie beside the settings", () => {
  const dir = mkdtempSync(join(tmpdir(), "steading-settings-"));
  made.push(dir);
  const file = join(dir, "tls.yaml");
  writeFileSync(file, "listen: [{host: 0.0.0.0, tls: {cert: a.pem, key: /b.pem}, allowedHosts: [steading.lan]}]\n");
  expect(readSettings(file).listen[0]?.tls).toEqual({ cert: join(dir, "a.pem"), key: "/b.pem" });
  expect(refusal("listen: [{tls: {cert: a.pem}}]\n")).toContain("listen[0].tls.key is missing");
});

test("issuers need the address that their tokens are meant for", () => {
  const issuer = "issuers: [{name: home, issuer: https://login.example}]\n";
  expect(refusal(issuer)).toContain("issuers need publicUrl");
  expect(parseSettings(`publicUrl: https://hub.example\n${issuer}`).issuers[0]).toMatchObject({ name: "home" });
  expect(refusal("publicUrl: hub\n")).toContain("write a whole address");
});
