import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAttackedPlace, PUBLIC_URL, type Answer, type AttackedPlace } from "../support/attacked-place.ts";
import { HALL_ON } from "../support/place.ts";

const MIB = 1_048_576;
let place: AttackedPlace;
/** Somebody else, who may do everything. */
let otto: string;
/** What was really allowed to reach the lamp. */
let allowed: readonly string[] = [];

beforeAll(async () => {
  place = await createAttackedPlace({ headersTimeoutMs: 4_000, requestTimeoutMs: 5_000, connections: 300 });
  otto = await place.tokenFor("otto", "admin");
});
afterAll(() => place.tidy());
/** Whatever was tried: nothing reached the lamp, the hub lives, and it has not grown out of bounds. */
afterEach(async () => {
  const { status } = await place.send(undefined, { path: "/health", method: "GET" });
  const memory = await place.metric("process_resident_memory_bytes");
  const asAllowed = place.commands().join() === allowed.join() && place.lamp.state === "off";
  const unharmed = asAllowed && status === 200 && memory < 600 * MIB;
  if (!unharmed) throw new Error(`The hub took harm: ${JSON.stringify([place.commands(), status, memory])}`);
});

const ON = { path: HALL_ON, value: true };
const switchOn = (posting: Parameters<AttackedPlace["call"]>[2] = {}): Promise<Answer> =>
  place.call("set_property", ON, posting);
const errorOf = ({ json }: Answer): unknown => (json?.["error"] as { code?: unknown } | undefined)?.code;
/** The JSON that a refused tool answers. */
const refusalOf = ({ json }: Answer): Record<string, unknown> => {
  const result = json?.["result"] as { isError?: boolean; content?: { text: string }[] } | undefined;
  expect(result).toMatchObject({ isError: true });
  return JSON.parse(result?.content?.[0]?.text ?? "{}") as Record<string, unknown>;
};

test.each([
  { host: "evil.example" },
  { host: "localhost.evil.example" },
  { host: "127.0.0.1.evil.example:3000" },
  { host: "localhost@evil.example" },
  { host: "evil.example#localhost" },
  { origin: "http://evil.example" },
  { origin: "https://localhost.evil.example" },
  { origin: "http://localhost@evil.example" },
  { origin: "null" },
  { origin: "file://" },
  { origin: "chrome-extension://abc" },
])("rebinding: a page of another site gets 403 although it has the token (%j)", async (headers) => {
  const answer = await switchOn({ headers });
  expect(answer.status).toBe(403);
  expect(answer.json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000 } });
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
});

test("rebinding: a preflight of another site is refused like everything else", async () => {
  const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
  expect(await place.send(undefined, { method: "OPTIONS", headers })).toMatchObject({ status: 403 });
});

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "attack", version: "1" } },
});
const OLD = { "mcp-protocol-version": "2025-11-25" };
const oldCall = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } });

test("foreign session: another principal, however mighty, finds no session there", async () => {
  const opened = await place.send(INITIALIZE, {
    token: place.hub.token,
    headers: { "mcp-protocol-version": undefined },
  });
  const session = String(opened.headers["mcp-session-id"]);
  const headers = { ...OLD, "mcp-session-id": session };
  const stolen = { token: otto, headers };
  for (const answer of [
    await place.send(oldCall("set_property", ON), stolen),
    await place.send(undefined, { ...stolen, method: "GET" }),
    await place.send(undefined, { ...stolen, method: "DELETE" }),
  ])
    expect([answer.status, errorOf(answer)]).toEqual([404, -32001]);
  expect(await place.send(oldCall("query", {}), { token: place.hub.token, headers })).toMatchObject({ status: 200 });
  expect(await place.send(oldCall("set_property", ON), { headers })).toMatchObject({ status: 401 });
});

test("stolen handle: an approval serves nobody but the one who asked for it", async () => {
  const asked = refusalOf(await place.call("lamp_reset_counter", { lamp: "hall" }));
  const { approval } = asked as { approval?: string };
  expect(approval).toMatch(/./);
  const other = refusalOf(await place.call("lamp_reset_counter", { lamp: "hall", approval }, { token: otto }));
  expect(other["code"]).toBe("APPROVAL_MISMATCH");
  // Nor does it serve another tool of the one who asked.
  const elsewhere = refusalOf(await place.call("lamp_factory_reset", { lamp: "hall", approval }));
  expect(elsewhere["code"]).toBe("APPROVAL_MISMATCH");
  const invented = refusalOf(await place.call("lamp_reset_counter", { lamp: "hall", approval: "x".repeat(22) }));
  expect(invented["code"]).toBe("APPROVAL_UNKNOWN");
});

test("stolen handle: what was kept for one caller is not there for another", async () => {
  const uri = "steading://results/00000000-0000-0000-0000-000000000000/0";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  for (const [method, params, name] of [
    ["resources/read", { uri }, uri],
    ["tasks/get", { taskId: "t-1" }, "t-1"],
    ["tasks/cancel", { taskId: "t-1" }, "t-1"],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
    const headers = { "mcp-method": method, "mcp-name": name };
    expect(errorOf(await place.send(body, { token: otto, headers }))).toBe(-32602);
  }
});

const FORMS = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
const YES = { confirm: { action: "accept", content: { confirm: true } } };

test("altered confirmation: a state that was touched, or is another's, confirms nothing", async () => {
  const asked = await place.call("lamp_reset_counter", { lamp: "hall" }, { meta: FORMS });
  const result = asked.json?.["result"] as { resultType?: string; requestState?: string } | undefined;
  expect(result).toMatchObject({ resultType: "input_required" });
  const requestState = result?.requestState ?? "";
  const middle = Math.floor(requestState.length / 2);
  const flipped = requestState[middle] === "A" ? "B" : "A";
  const altered = [
    `${requestState.slice(0, middle)}${flipped}${requestState.slice(middle + 1)}`,
    requestState.slice(0, -1),
    `${requestState}A`,
    "",
    "e30.e30",
  ];
  for (const state of altered) {
    const more = { requestState: state, inputResponses: YES };
    const answer = await place.call("lamp_reset_counter", { lamp: "hall" }, { meta: FORMS, more });
    expect([state, errorOf(answer)]).toEqual([state, -32602]);
  }
  const stolen = await place.call(
    "lamp_reset_counter",
    { lamp: "hall" },
    { meta: FORMS, more: { requestState, inputResponses: YES }, token: otto },
  );
  expect(errorOf(stolen)).toBe(-32602);
});

const seconds = (from: number): number => Math.floor(Date.now() / 1_000) + from;
const claims = (over: object = {}) => ({
  iss: place.issuer.url,
  sub: "eve",
  aud: place.audience,
  exp: seconds(3_600),
  scope: "mcp",
  ...over,
});

test("tokens: expired, unsigned, forged, confused, or for somebody else are all 401, and tell nothing", async () => {
  const { issuer } = place;
  const tokens: Record<string, string> = {
    expired: issuer.sign(claims({ exp: seconds(-60) })),
    "not yet valid": issuer.sign(claims({ nbf: seconds(3_600) })),
    "without an end": issuer.sign(claims({ exp: undefined })),
    "for another hub": issuer.sign(claims({ aud: "https://other.example/mcp" })),
    "for an address below ours": issuer.sign(claims({ aud: `${PUBLIC_URL}/mcp/lamp` })),
    "for nobody": issuer.sign(claims({ aud: undefined })),
    "of another issuer": issuer.sign(claims({ iss: "https://evil.example" })),
    "of ourselves": issuer.sign(claims({ iss: undefined, userId: 1, jti: "x", iat: seconds(0) })),
    unsigned: issuer.unsigned(claims()),
    "unsigned and ours": issuer.unsigned({ userId: 1, jti: "x", iat: seconds(0), exp: seconds(60) }),
    forged: issuer.signForged(claims()),
    "signed with what is public": issuer.signConfused(claims()),
    "cut in two": issuer.sign(claims()).split(".").slice(0, 2).join("."),
    "a hash instead of a token": "0".repeat(64),
  };
  for (const [what, token] of Object.entries(tokens)) {
    const answer = await switchOn({ token });
    expect([what, answer.status]).toEqual([what, 401]);
    expect(answer.json).toEqual({
      error: "invalid_token",
      error_description: "The token is unknown, expired or revoked",
    });
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer error="invalid_token"/);
  }
  const good = issuer.sign(claims());
  const list = { headers: { "mcp-method": "tools/call", "mcp-name": "query" }, token: good };
  expect(await place.call("query", {}, list)).toMatchObject({ status: 200 });
});

test("tokens: one in the address is none", async () => {
  for (const query of [`token=${place.hub.token}`, `access_token=${place.hub.token}`])
    expect(await switchOn({ token: undefined, path: `/mcp?${query}` })).toMatchObject({ status: 401 });
});

test("guessing: thousands of wrong tokens are refused one like the other, and nothing is remembered of them", async () => {
  const before = await place.metric('steading_http_refused_total{why="unauthorized"}');
  const remembered = await place.metric("steading_mcp_verified_tokens");
  for (let round = 0; round < 20; round++) {
    const tries = Array.from({ length: 50 }, (_, i) =>
      switchOn({ token: `stead_${String(round * 50 + i).padStart(43, "x")}` }),
    );
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(401);
  }
  expect(await place.metric('steading_http_refused_total{why="unauthorized"}')).toBe(before + 1_000);
  expect(await place.metric("steading_mcp_verified_tokens")).toBe(remembered);
});

test("a narrow token: neither tricks with paths nor other ways in widen it", async () => {
  const narrow = await place.tokenFor("nora", "operator", "--paths", "/lamps/hallway");
  const tricks = [
    HALL_ON,
    "/lamps/hallway/../hall/on",
    "/lamps/hallway/./../hall/on",
    "/lamps/hallway%2F..%2Fhall/on",
    "//lamps/hall/on",
    "/lamps//hall/on",
    "/LAMPS/hall/on",
    "/lamps/hall\u0000way/on",
    "/lamps/hall/on/",
    "lamps/hall/on",
    "/lamps/hallway\\..\\hall/on",
    "/lamps/ｈall/on",
  ];
  for (const path of tricks) {
    const answer = await place.call("set_property", { path, value: true }, { token: narrow });
    expect([path, refusalOf(answer)["status"]]).toEqual([path, undefined]);
  }
  for (const [tool, args] of [
    ["lamp_reset_counter", { lamp: "hall" }],
    ["call_tool", { name: "set_property", arguments: ON }],
    ["set_properties", { writes: [ON] }],
    ["create_user", { name: "eve", role: "admin" }],
    ["create_token", { owner: "admin", label: "x" }],
  ] as const) {
    const answer = await place.call(tool, args, { token: narrow });
    const refused = errorOf(answer) === -32602 || refusalOf(answer) !== undefined;
    expect([tool, refused]).toEqual([tool, true]);
  }
  for (const path of ["/mcp/lamp", "/mcp/%6camp", "/mcp/../mcp", "/MCP", "/mcp/", "//mcp"]) {
    const answer = await place.call("lamp_reset_counter", { lamp: "hall" }, { token: narrow, path });
    expect([path, answer.status === 404 || errorOf(answer) === -32602]).toEqual([path, true]);
  }
});

test("bodies: too large, too deep, ambiguous or no JSON at all are refused before anything is made of them", async () => {
  const call = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_property","arguments":${args},"_meta":` +
    '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}';
  const on = JSON.stringify(ON);
  const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
  const bodies: readonly (readonly [string, string, number, number])[] = [
    ["too large", call(`{"path":"${"x".repeat(4 * MIB)}"}`), 413, -32000],
    ["too deep", call(`{"path":${deep}}`), 400, -32600],
    ["deep and nothing else", deep, 400, -32600],
    ["two methods", call(on).replace('"method"', '"method":"tools/list","method"'), 400, -32600],
    ["two names", call(on).replace('"name"', '"name":"query","name"'), 400, -32600],
    ["two paths", call('{"path":"/system","path":"/lamps/hall/on","value":true}'), 400, -32600],
    ["the same name written in two ways", call('{"path":"/system","p\\u0061th":"/lamps/hall/on"}'), 400, -32600],
    ["no JSON", call(on).slice(0, -1), 400, -32700],
    ["a byte that is no text", `${call(on)}\u0000`, 400, -32700],
  ];
  for (const [what, body, status, code] of bodies) {
    const headers = { "mcp-method": "tools/call", "mcp-name": "set_property" };
    const answer = await place.send(body, { token: place.hub.token, headers });
    expect([what, answer.status, errorOf(answer)]).toEqual([what, status, code]);
  }
  const wide = await place.call("set_property", { ...ON, extra: Array.from({ length: 10_001 }, () => 0) });
  expect(refusalOf(wide)["code"]).toBe("ARGUMENTS_TOO_LARGE");
  const poisoned = await place.send(call('{"__proto__":{"role":"admin"},"constructor":{},"path":"/x","value":1}'), {
    token: place.hub.token,
    headers: { "mcp-method": "tools/call", "mcp-name": "set_property" },
  });
  expect(refusalOf(poisoned)).toBeDefined();
});

test("headers that say something else than the body are refused", async () => {
  for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-name": "query" }, { "mcp-name": undefined }])
    expect(errorOf(await switchOn({ headers }))).toBe(-32020);
});

test("slowloris: hundreds of connections that never finish are cut, and others are served meanwhile", async () => {
  const port = Number(new URL(place.hub.url).port);
  const before = await place.metric('steading_http_refused_total{why="timed_out"}');
  const sockets: Socket[] = [];
  const ended: Promise<void>[] = [];
  for (let i = 0; i < 200; i++) {
    const start =
      i % 2 === 0
        ? "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        : `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${place.hub.token}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"jsonrpc":';
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    socket.write(start);
    sockets.push(socket);
    ended.push(new Promise((resolve) => void socket.once("close", () => resolve())));
  }
  const dribble = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("a");
  }, 50);
  try {
    expect(await place.call("query", {})).toMatchObject({ status: 200 });
    await Promise.all(ended);
  } finally {
    clearInterval(dribble);
    for (const socket of sockets) socket.destroy();
  }
  expect(await place.metric('steading_http_refused_total{why="timed_out"}')).toBe(before + 200);
  expect(await place.metric("steading_mcp_calls")).toBe(0);
});

test("more connections than there may be are turned away and counted, and the hub is free again afterwards", async () => {
  const port = Number(new URL(place.hub.url).port);
  const sockets = Array.from({ length: 400 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("close", resolve).resume())));
  expect(await place.metric('steading_http_refused_total{why="connections"}')).toBeGreaterThanOrEqual(100);
});

test("a revoked token ends what was opened with it, at once", async () => {
  const token = await place.tokenFor("rita", "viewer");
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const stream = place.send(body, { token, headers: { "mcp-method": "subscriptions/listen" } });
  await expect.poll(() => place.metric("steading_mcp_streams")).toBe(1);
  const { tokens } = JSON.parse(await place.steading("token", "list", "rita", "--json")) as {
    tokens: { id: string }[];
  };
  await place.steading("token", "revoke", tokens[0]?.id ?? "");
  expect((await stream).text).toContain('"resultType":"complete"');
  expect(await switchOn({ token })).toMatchObject({ status: 401 });
});

test("replayed confirmation: of one yes, sent again and again in every way, one action comes", async () => {
  const hall = { lamp: "hall" };
  const asked = await place.call("lamp_reset_counter", hall, { meta: FORMS });
  const result = asked.json?.["result"] as { requestState?: string } | undefined;
  const confirmed = { meta: FORMS, more: { requestState: result?.requestState, inputResponses: YES } };
  allowed = ["reset-counter"];
  const storm = await Promise.all(Array.from({ length: 8 }, () => place.call("lamp_reset_counter", hall, confirmed)));
  const done = storm.filter(({ json }) => JSON.stringify(json).includes('"stage":"observed"'));
  expect(done).toHaveLength(1);
  await place.call("lamp_reset_counter", hall, confirmed);
  await place.call("lamp_factory_reset", hall, confirmed);
  const { approval } = refusalOf(await place.call("lamp_reset_counter", hall)) as { approval?: string };
  expect(approval).toMatch(/./);
  allowed = ["reset-counter", "reset-counter"];
  const twice = await Promise.all([1, 2].map(() => place.call("lamp_reset_counter", { ...hall, approval })));
  expect(twice.filter(({ json }) => JSON.stringify(json).includes('"stage":"observed"'))).toHaveLength(1);
  expect(refusalOf(await place.call("lamp_reset_counter", { ...hall, approval }))["code"]).toBe("APPROVAL_USED");
});
