import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createHostAndOriginCheck } from "./host-and-origin.ts";

const check = createHostAndOriginCheck({
  hosts: ["hub.example"],
  origins: ["console.example", "chrome-extension://*"],
});
const refusal = (headers: { host?: string; origin?: string }): string | undefined =>
  check.refusal({ headers } as IncomingMessage);

// @proves mcp.guard.host-default mcp.guard.host-port-ignored mcp.guard.host-configured mcp.guard.origin-absent
test.each(["localhost", "localhost:3000", "127.0.0.1:9", "[::1]:3000", "hub.example", "HUB.example:80"])(
  "host %s is let in",
  (host) => {
    expect(refusal({ host })).toBeUndefined();
  },
);

// @proves mcp.guard.host-foreign
test.each([
  "evil.example",
  "localhost.evil.example",
  "127.0.0.1@evil.example",
  "evil.example/localhost",
  "",
  "[::1",
  "192.168.1.2",
])("host %j is refused", (host) => {
  expect(refusal({ host })).toMatch(/Host/);
});

// @proves mcp.guard.origin-wildcard
test.each([
  "http://localhost:5173",
  "https://127.0.0.1",
  "http://console.example",
  "https://hub.example",
  "chrome-extension://abcdef",
])("origin %s is let in", (origin) => {
  expect(refusal({ host: "localhost", origin })).toBeUndefined();
});

// @proves mcp.guard.origin-foreign mcp.guard.origin-null mcp.guard.origin-unparsable
test.each([
  "null",
  "http://evil.example",
  "https://localhost.evil.example",
  "file://localhost",
  "localhost",
  "",
  "moz-extension://abc",
])("origin %j is refused", (origin) => {
  expect(refusal({ host: "localhost", origin })).toMatch(/Origin/);
});

test("a wrong host is named before a wrong origin", () => {
  expect(refusal({ host: "evil.example", origin: "http://evil.example" })).toMatch(/Host/);
});

// @proves farm.mcp.host-interfaces farm.mcp.host-origin
test("the machine's own addresses are hosts where they count, other addresses and names are not", () => {
  const own = createHostAndOriginCheck({ hosts: [], origins: [], addresses: () => ["192.168.1.2", "[fd00::7]"] });
  const of = (headers: { host: string; origin?: string }) => own.refusal({ headers } as IncomingMessage);
  for (const host of ["192.168.1.2", "192.168.1.2:3001", "[fd00::7]:3001", "[FD00:0::7]", "localhost"])
    expect(of({ host })).toBeUndefined();
  for (const host of ["192.168.1.3", "[fd00::8]", "farm.lan", "192.168.1.2.evil.example"])
    expect(of({ host })).toMatch(/Host/);
  expect(of({ host: "192.168.1.2", origin: "http://192.168.1.2:8080" })).toBeUndefined();
  expect(of({ host: "192.168.1.2", origin: "http://evil.example" })).toMatch(/Origin/);
});
