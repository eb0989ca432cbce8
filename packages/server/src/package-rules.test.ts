import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const here = fileURLToPath(new URL(".", import.meta.url));
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly dependencies: Record<string, string>;
};
const files = readdirSync(here, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(`${here}/${file}`, "utf8") }));
const sources = files.map(({ text }) => text);
const imported = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/from "((?:@[^/"]+\/)?[^./"][^"]*)"/g)].map(([, name]) => name ?? ""),
  ),
);

// @proves mcp.packages.legacy-sse-transport-only
test("of the frozen package nothing but the SSE transport is imported", () => {
  expect([...imported].filter((name) => name.startsWith("@modelcontextprotocol/server-legacy"))).toEqual([
    "@modelcontextprotocol/server-legacy/sse",
  ]);
});

// @proves mcp.packages.plain-node-http
test("the endpoint stands on node:http, without a framework's adapter", () => {
  expect(imported).toContain("node:http");
  const adapters = Object.keys(manifest.dependencies).filter((name) =>
    /^@modelcontextprotocol\/(express|fastify|hono)$/.test(name),
  );
  expect(adapters).toEqual([]);
});

// @proves mcp.packages.zod-minimum
test("zod is new enough for the SDK", () => {
  const { version } = createRequire(import.meta.url)("zod/package.json") as { readonly version: string };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  expect(major * 100 + minor).toBeGreaterThanOrEqual(402);
});

// @proves mcp.packages.ext-apps-constants-only mcp.packages.ext-tasks-schemas-only
test("nothing but constants and schemas could come from the extension packages: neither is imported", () => {
  expect([...imported].filter((name) => name.startsWith("@modelcontextprotocol/ext-"))).toEqual([]);
});

// @proves mcp.guard.no-transport-options
test("the transports' own host and origin options are unused", () => {
  for (const source of sources) expect(source).not.toMatch(/enableDnsRebindingProtection|allowedHosts:\s*\[/);
});

// @proves mcp.instance.low-level-server
test("instances are built from the low-level class", () => {
  const builder = readFileSync(`${here}/eras/build-instance.ts`, "utf8");
  expect(builder).toContain("new ShellServer(");
  expect(builder).not.toContain("McpServer");
});

// @proves mcp.errors.own-codes-outside-range
test("in the range of the protocol no code is of our own making", () => {
  const known = ["-32700", "-32600", "-32601", "-32602", "-32603", "-32000", "-32001", "-32002", "-32021"];
  const used = new Set(sources.flatMap((source) => [...source.matchAll(/-32\d{3}\b/g)].map(([code]) => code)));
  expect([...used].filter((code) => !known.includes(code))).toEqual([]);
});

// @proves mcp.confirm.no-direct-elicit
test("nobody but the referee's 2025 fixtures asks a client directly", () => {
  const asking = files.filter(({ text }) => text.includes("elicitInput(")).map(({ file }) => file);
  expect(asking).toEqual(["conformance/pushing-tools.ts"]);
});
