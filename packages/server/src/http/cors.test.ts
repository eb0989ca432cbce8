import { afterAll, beforeAll, expect, test } from "vitest";
import { post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell({ allowedOrigins: ["console.example"] });
});
afterAll(() => shell.close());

const preflight = (origin: string) =>
  send(shell.mcp, undefined, { origin, "access-control-request-method": "POST", "content-type": undefined }, "OPTIONS");

// @proves mcp.cors.allow-headers mcp.cors.expose-headers mcp.cors.methods mcp.cors.no-credentials
test("a configured page is told what it may send and read", async () => {
  const { status, headers } = await preflight("https://console.example");
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe("https://console.example");
  expect(headers.get("access-control-allow-headers")).toBe(
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  );
  expect(headers.get("access-control-expose-headers")).toBe("Mcp-Session-Id, WWW-Authenticate");
  expect(headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE, OPTIONS");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
});

test("a configured page can read answers and refusals", async () => {
  const headers = { origin: "https://console.example" };
  expect(
    (await post(shell.mcp, "tools/list", {}, { token: shell.admin, headers })).headers.get(
      "access-control-allow-origin",
    ),
  ).toBe("https://console.example");
  expect((await post(shell.mcp, "tools/list", {}, { headers })).headers.get("access-control-allow-origin")).toBe(
    "https://console.example",
  );
});

// @proves mcp.cors.configured-only mcp.guard.origin-every-method
test("no other page is told anything", async () => {
  expect((await preflight("http://localhost:5173")).headers.get("access-control-allow-origin")).toBeNull();
  expect(await preflight("https://evil.example")).toMatchObject({ status: 403 });
  expect(
    (await post(shell.mcp, "tools/list", {}, { token: shell.admin })).headers.get("access-control-allow-origin"),
  ).toBeNull();
});
