import { afterAll, beforeAll, expect, test } from "vitest";
import { BOOTSTRAP_TOKEN } from "../support/hub-process.ts";
import { createPlace, type Place } from "../support/place.ts";

let place: Place;

beforeAll(async () => {
  place = await createPlace();
  await place.start();
});
afterAll(() => place.tidy());

const LIST_TOOLS = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

function post(headers: Record<string, string>): Promise<Response> {
  return fetch(place.hub.mcp, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/list",
      ...headers,
    },
    body: JSON.stringify(LIST_TOOLS),
  });
}

// @proves steading.listen.credential-asked
test.each([
  ["no token", {}],
  ["a wrong token", { Authorization: `Bearer ${BOOTSTRAP_TOKEN.replace("acceptance", "nonsense99")}` }],
  ["a token cut short", { Authorization: `Bearer ${BOOTSTRAP_TOKEN.slice(0, -1)}` }],
  ["an empty token", { Authorization: "Bearer " }],
  ["another scheme", { Authorization: `Basic ${BOOTSTRAP_TOKEN}` }],
])("%s is answered 401 with a challenge, and tells nothing", async (_what, headers) => {
  const response = await post(headers as Record<string, string>);
  expect(response.status).toBe(401);
  expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer /);
  expect(await response.text()).not.toContain("set_property");
});

test("the bootstrap token opens the door", async () => {
  const response = await post({ Authorization: `Bearer ${BOOTSTRAP_TOKEN}` });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("set_property");
});

// @proves steading.address.health
test("health answers anybody, with a status and nothing else", async () => {
  const response = await fetch(new URL("/health", place.hub.url));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});
