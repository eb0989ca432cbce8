import { createActionResources, millis, type Caller, type TokenScope } from "@steading/kernel";
import { createTrialDoor, createTrialRelay } from "@steading/kernel/testing";
import { expect, test } from "vitest";
import { createKeptResults } from "../calls/kept-results.ts";
import { createHandResources } from "../testing/hand-resources.ts";
import { createResourceShelf } from "./resource-shelf.ts";

function caller(scope?: TokenScope): Caller {
  const base = { principal: "anna", role: "admin", transport: "http", correlation: "c" } as const;
  return scope === undefined ? base : { ...base, scope };
}

/** A shelf with an action on it, a document of the toolset `graph`, one of nobody's, and a result too large to answer. */
async function setUp() {
  const trial = createTrialDoor();
  const relay = createTrialRelay(trial);
  const { receipt } = await trial.door.perform(relay.effect(true));
  const graph = { ...createHandResources("graph"), toolset: "graph" };
  graph.put("graph://doc/1", "a place");
  const loose = createHandResources("loose");
  loose.put("loose://doc/1", "nobody's");
  const kept = createKeptResults({ clock: trial.clock, maxBytes: 1_000, age: millis(60_000) });
  const result = kept.keep("anna", { mimeType: "text/plain", text: "whole" }) ?? "";
  const shelf = createResourceShelf({ providers: [createActionResources(trial), graph, loose, kept], perPage: 2 });
  return { shelf, action: `steading://actions/${receipt.action}`, result };
}

async function seenBy(scope: TokenScope | undefined) {
  const { shelf, action, result } = await setUp();
  const uris = { action, graph: "graph://doc/1", loose: "loose://doc/1", result };
  const readable: string[] = [];
  for (const [name, uri] of Object.entries(uris)) if (await shelf.mayRead(uri, caller(scope))) readable.push(name);
  const listed: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = shelf.list(caller(scope), cursor);
    listed.push(...(page?.resources ?? []).map(({ uri }) => uri));
    cursor = page?.nextCursor;
    if (cursor === undefined) break;
  }
  return { readable, listed: Object.entries(uris).flatMap(([name, uri]) => (listed.includes(uri) ? [name] : [])) };
}

test("a caller without a limit sees everything that is listed", async () => {
  expect(await seenBy(undefined)).toEqual({
    readable: ["action", "graph", "loose", "result"],
    listed: ["action", "graph", "loose"],
  });
});

test("a token for some toolsets sees their documents and its own results, and nothing of others", async () => {
  expect(await seenBy({ toolsets: ["graph"] })).toEqual({ readable: ["graph", "result"], listed: ["graph"] });
  expect(await seenBy({ toolsets: ["actions"] })).toEqual({ readable: ["action", "result"], listed: ["action"] });
  expect(await seenBy({ toolsets: [] })).toEqual({ readable: ["result"], listed: [] });
});

test("a token for some places sees no actions: they are at no place", async () => {
  const scope = { pathPrefixes: ["/barn"], toolsets: ["actions", "graph"] };
  expect(await seenBy(scope)).toEqual({ readable: ["graph", "result"], listed: ["graph"] });
});

test("a token that only narrows the role keeps all documents of that role", async () => {
  expect((await seenBy({ role: "viewer" })).readable).toEqual(["action", "graph", "loose", "result"]);
});

// @proves mcp.resources.check-order
test("what is no URI, or is not for this token, is never looked up", async () => {
  const asked: string[] = [];
  const provider = {
    ...createHandResources("graph"),
    toolset: "graph",
    read(uri: string) {
      asked.push(uri);
      return Promise.resolve(undefined);
    },
  };
  const shelf = createResourceShelf({ providers: [provider], perPage: 2 });
  for (const uri of [
    "graph:no-slashes",
    "graph://a b",
    "graph://a\nb",
    `graph://${"x".repeat(3_000)}`,
    "",
    "other://a",
  ])
    expect(await shelf.mayRead(uri, caller())).toBe(false);
  expect(await shelf.mayRead("graph://doc/1", caller({ toolsets: ["else"] }))).toBe(false);
  expect(asked).toEqual([]);
  await shelf.mayRead("graph://doc/1", caller());
  expect(asked).toEqual(["graph://doc/1"]);
});

// @proves mcp.resources.templates-level-1
test("a template that needs more than simple expansion is refused when the shelf is put together", () => {
  const withTemplate = (uriTemplate: string) => () =>
    createResourceShelf({
      providers: [{ ...createHandResources("x"), templates: [{ uriTemplate, name: "t" }] }],
      perPage: 2,
    });
  expect(withTemplate("x://{id}/data/{other_1}")).not.toThrow();
  for (const template of [
    "x://{+path}",
    "x://{#a}",
    "x://a{?q}",
    "x://{a,b}",
    "x://{a*}",
    "x://{a:3}",
    "x://{",
    "x://{}",
  ])
    expect(withTemplate(template), template).toThrow("simple");
});
