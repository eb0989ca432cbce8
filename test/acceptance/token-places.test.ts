import {
  createActionResources,
  createActionTools,
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createMemoryLedger,
  createReception,
  createRealClock,
  silentLog,
  type Caller,
  type Dispatcher,
} from "@steading/kernel";
import { createAccounts, createFindToolset, createServer } from "@steading/server";
import { all, c, createGraph, createSubjectTools, defineSubject, p } from "@steading/subjects";
import { afterAll, beforeAll, expect, test } from "vitest";

const Lamp = defineSubject("trial.Lamp", { props: { note: p.string().writable() } });
const Building = defineSubject("trial.Building", {
  props: { note: p.string().writable() },
  children: { more: c.map(undefined, { inline: true }) },
});
const Place = defineSubject("trial.Place", { children: { more: c.map(undefined, { inline: true }) } });

const OPEN = "this may be read";
const HIDDEN = "this must not be read";
const LOCAL: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "test" };

/** Everything a hub has between a socket and its graph, with buildings whose names look alike. */
async function startHub() {
  const clock = createRealClock();
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const secret = new TextEncoder().encode("Qm3vT8xK1nZ6rB9wL4yH7cD2fG5jP0sU");
  const accounts = createAccounts({ ledger, journal, clock, log: silentLog, secret, placeToolsets: ["subjects"] });
  const { standing } = accounts;
  const door = createDoor({
    ledger,
    journal,
    approvals,
    reception,
    clock,
    log: silentLog,
    access: () => "write",
    standing,
  });

  const place = Place.create({});
  const graph = createGraph({ clock, log: silentLog, root: place });
  for (const [name, note] of [
    ["barn", OPEN],
    ["barn2", HIDDEN],
    ["Barn", HIDDEN],
    ["barn/house", HIDDEN],
    ["barn%2Fhouse", HIDDEN],
    ["bar", HIDDEN],
    ["house", HIDDEN],
  ] as const) {
    const building = Building.create({ note });
    place.$children("more").set(name, building);
    building.$children("more").set("lamp", Lamp.create({ note }));
  }

  const subjects = createSubjectTools(
    () => graph.root,
    (config) => {
      config.pathProvider = all();
      config.access = "write";
    },
  );
  const dispatcher: Dispatcher = createDispatcher({
    toolsets: [subjects, createActionTools({ door }), createFindToolset({ dispatcher: () => dispatcher })],
    door,
    clock,
    log: silentLog,
  });
  const server = createServer({
    dispatcher,
    resources: [createActionResources({ door, journal }), subjects.resources],
    authenticator: accounts,
    info: { name: "trial", version: "1" },
    instructions: "For tests.",
    clock,
    log: silentLog,
    health: () => ({ status: "ok" }),
  });
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  await accounts.changes.create(LOCAL, { name: "anna", role: "admin" });
  const { token } = await accounts.changes.createToken(LOCAL, {
    owner: "anna",
    label: "for the barn",
    pathPrefixes: ["/barn"],
  });
  return { server, graph, place, url, token };
}

let hub: Awaited<ReturnType<typeof startHub>>;
beforeAll(async () => void (hub = await startHub()));
afterAll(async () => {
  await hub.server.close();
  await hub.graph.close();
});

/** The whole answer to one request, as text. */
async function ask(method: string, params: Record<string, unknown>): Promise<string> {
  const name = params["name"] ?? params["uri"];
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${hub.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  return response.text();
}
const call = (name: string, given: Record<string, unknown>) => ask("tools/call", { name, arguments: given });

test("the token opens its place", async () => {
  expect(await call("get_property", { path: "/barn/note" })).toContain(OPEN);
  expect(await call("get_property", { path: "/barn/lamp/note" })).toContain(OPEN);
  expect(await call("query", { path: "/", depth: 5 })).not.toContain(HIDDEN);
});

const TRICKS = [
  "/barn2/note",
  "/Barn/note",
  "/bar/note",
  "/house/note",
  "/house/lamp/note",
  "/barn/../house/note",
  "/barn/../barn2/note",
  "/barn/lamp/../../house/note",
  "/barn/./../house/note",
  "/barn%2Fhouse/note",
  "/barn%2fhouse/note",
  "/barn%252Fhouse/note",
  "/barn%2F..%2Fhouse/note",
  "/barn/%2E%2E/house/note",
  "/barn/%2e%2e/house/note",
  "/barn//../house/note",
  "//house/note",
  "/barn\\..\\house/note",
  "/barn/..;/house/note",
  "/barn/../house/note?x=/barn",
  "/barn#/house/note",
  "/barn\u0000/../house/note",
  "../house/note",
  "house/note",
  "/barn2",
  "/house/",
];

// @proves mcp.auth.token-scope-narrows kernel.access.token-scope-narrows
test.each(TRICKS)("the token does not open %j, by whichever way one asks", async (path) => {
  const inUri = path.replaceAll("\u0000", "%00"); // a URI travels in a header, too
  const answers = await Promise.all([
    call("get_property", { path }),
    call("query", { path, depth: 5 }),
    call("set_property", { path, value: "overwritten" }),
    call("set_property", { path: `${path}/note`, value: "overwritten" }),
    call("call_tool", { name: "get_property", arguments: { path } }),
    ask("resources/read", { uri: `steading://${inUri}` }),
    ask("resources/read", { uri: `steading:///barn/..${inUri}` }),
  ]);
  for (const answer of answers) {
    expect(answer).not.toContain(HIDDEN);
    expect(answer).not.toContain('"stage":"observed"');
  }
});

test("nothing was overwritten", () => {
  for (const name of ["barn2", "Barn", "bar", "house", "barn/house", "barn%2Fhouse"]) {
    const building = hub.place.$children("more").get(name) as { note?: string } | undefined;
    expect(building?.note).toBe(HIDDEN);
  }
});

test("a token for some places sees no tools that do not look at places, and no resources of others", async () => {
  const listed = await ask("tools/list", {});
  expect(listed).toContain('"get_property"');
  for (const tool of ["call_tool", "find_tools", "get_action", "list_actions"])
    expect(listed).not.toContain(`"${tool}"`);
  const resources = await ask("resources/list", {});
  for (const hidden of ["house", "barn2"]) expect(resources).not.toContain(hidden);
});
