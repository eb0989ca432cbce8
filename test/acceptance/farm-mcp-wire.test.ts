import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startA64Farm, type A64Farm } from "../support/a64-farm.ts";
import { rawRequest, rawStream, type RawAnswer, type RawRequest, type RawStream } from "../support/raw-http.ts";
import { secret } from "../support/run-record.ts";

const API_KEY = secret("u3Kd8sQm1Zx6Vb9Nw4Tf7Rj2Hc5Ly0Eg");
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let farm: A64Farm;
let token: string;
const streams: RawStream[] = [];
beforeAll(async () => {
  farm = await startA64Farm({ environment: { MCP_API_KEY: API_KEY, MCP_API_KEY_ROLE: "viewer" } });
  token = await farm.place.logIn(farm.user);
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await farm.place.tidy();
});

type Headers = Readonly<Record<string, string>>;
const bearer = (value = token): Headers => ({ Authorization: `Bearer ${value}` });
const POSTED: Headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

const ask = (request: RawRequest): Promise<RawAnswer> => rawRequest(farm.place.mcpServer, request);
async function listen(request: RawRequest): Promise<RawStream> {
  const stream = await rawStream(farm.place.mcpServer, request);
  streams.push(stream);
  return stream;
}

function post(message: object, headers: Headers, target = "/mcp"): Promise<RawAnswer> {
  return ask({ method: "POST", target, headers: { ...POSTED, ...headers }, body: JSON.stringify(message) });
}

const initialize = (protocolVersion = "2024-11-05") => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const PING = { jsonrpc: "2.0", id: 7, method: "ping" };
const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: args },
});

/** The message of an answer, by itself or as the first frame of a stream. */
function messageOf({ body }: RawAnswer): unknown {
  const lines = body.split("\n").map((line) => line.replace(/^data: /, ""));
  return JSON.parse(lines.find((line) => line.startsWith("{")) ?? "null");
}

async function openSession(value = token): Promise<Headers> {
  const { headers } = await post(initialize(), bearer(value));
  const session = { ...bearer(value), "Mcp-Session-Id": headers["mcp-session-id"] ?? "" };
  await post(INITIALIZED, session);
  return session;
}

async function openSse(value = token): Promise<{ readonly stream: RawStream; readonly target: string }> {
  const stream = await listen({
    method: "GET",
    target: "/mcp",
    headers: { ...bearer(value), Accept: "text/event-stream" },
  });
  const { data } = await stream.event(({ event }) => event === "endpoint");
  return { stream, target: data };
}

describe("GET /health", () => {
  // @proves farm.mcp.health-body
  test("is 200 and exactly ok to everybody, also to a bad token", async () => {
    for (const headers of [{}, bearer("nobody's"), { Authorization: "Basic eDp5" }]) {
      const answer = await ask({ method: "GET", target: "/health", headers });
      expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}']);
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    }
  });

  // @proves farm.mcp.health-details
  test("tells more to whoever has a token or the key", async () => {
    for (const value of [token, API_KEY]) {
      const { status, body } = await ask({ method: "GET", target: "/health", headers: bearer(value) });
      expect([status, JSON.parse(body)]).toEqual([
        200,
        {
          status: "ok",
          server: "sensehub-mcp",
          version: "1.0.0",
          equipment_count: 2,
          backend_connected: true,
        },
      ]);
    }
  });
});

describe("POST /mcp", () => {
  // @proves farm.mcp.initialize farm.mcp.session-id farm.mcp.server-info
  test("initialize gives a random session id in a header", async () => {
    const [first, second] = [await post(initialize(), bearer()), await post(initialize(), bearer())];
    for (const answer of [first, second]) {
      expect(answer.status).toBe(200);
      expect(answer.headers["mcp-session-id"]).toMatch(UUID);
      expect(messageOf(answer)).toMatchObject({
        id: 1,
        result: { protocolVersion: "2024-11-05", serverInfo: { name: "sensehub", version: "1.0.0" } },
      });
    }
    expect(first.headers["mcp-session-id"]).not.toBe(second.headers["mcp-session-id"]);
  });

  // @proves farm.mcp.versions
  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "protocol version %s is spoken",
    async (version) => {
      const answer = await post(initialize(version), bearer());
      expect(messageOf(answer)).toMatchObject({ result: { protocolVersion: version } });
      const session = { ...bearer(), "Mcp-Session-Id": answer.headers["mcp-session-id"] ?? "" };
      const stated = { ...session, "MCP-Protocol-Version": version };
      expect((await post(INITIALIZED, stated)).status).toBe(202);
      expect((await post(PING, stated)).status).toBe(200);
      // The client states no version, whichever was agreed upon.
      expect((await post(PING, session)).status).toBe(200);
    },
  );

  // @proves farm.mcp.notifications
  test("a notification is 202 and empty", async () => {
    const session = await openSession();
    const { status, body } = await post(INITIALIZED, session);
    expect([status, body]).toEqual([202, ""]);
  });

  test("a request needs its session", async () => {
    expect((await post(PING, bearer())).status).toBe(400);
  });

  // @proves farm.mcp.plain-json
  test("initialize and a call are answered with plain JSON", async () => {
    expect((await post(initialize(), bearer())).headers["content-type"]).toBe("application/json");
    const answer = await post(call("get_equipment_list"), await openSession());
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
    const { result } = JSON.parse(answer.body) as { result: { content: { type: string; text: string }[] } };
    expect(JSON.parse(result.content[0]?.text ?? "")).toHaveLength(2);
  });

  // @proves farm.mcp.unknown-session
  test("an unknown session is 404 for every method", async () => {
    const unknown = { ...bearer(), "Mcp-Session-Id": randomUUID() };
    expect((await post(PING, unknown)).status).toBe(404);
    expect((await post(INITIALIZED, unknown)).status).toBe(404);
    expect((await post(PING, { ...unknown, "Mcp-Session-Id": "not a UUID" })).status).toBe(404);
    const headers = { ...unknown, Accept: "text/event-stream" };
    expect((await ask({ method: "GET", target: "/mcp", headers })).status).toBe(404);
    expect((await ask({ method: "DELETE", target: "/mcp", headers: unknown })).status).toBe(404);
    expect((await post(PING, bearer(), `/mcp?sessionId=${randomUUID()}`)).status).toBe(404);
  });

  // @proves farm.mcp.delete
  test("DELETE ends a session with 200, and it is unknown from then on", async () => {
    const session = await openSession();
    expect((await ask({ method: "DELETE", target: "/mcp", headers: session })).status).toBe(200);
    expect((await post(PING, session)).status).toBe(404);
  });

  // @proves farm.mcp.session-id
  test("a session is its user's alone", async () => {
    const session = await openSession();
    const other = await farm.place.logIn(await farm.place.addUser("operator"));
    const stolen = await post(PING, { ...session, ...bearer(other) });
    expect(stolen.status).toBe(404);
    expect((await post(PING, session)).status).toBe(200);
  });

  // @proves farm.mcp.session-caps
  test("the 65th session of a user makes the oldest give way, and nobody is refused", async () => {
    const own = await farm.place.logIn(await farm.place.addUser("viewer"));
    const sessions: Headers[] = [];
    for (let i = 0; i < 65; i += 1) {
      const { status, headers } = await post(initialize(), bearer(own));
      expect(status).toBe(200);
      sessions.push({ ...bearer(own), "Mcp-Session-Id": headers["mcp-session-id"] ?? "" });
    }
    const [oldest = {}, second = {}] = sessions;
    expect((await post(PING, oldest)).status).toBe(404);
    expect((await post(PING, second)).status).toBe(200);
    expect((await post(PING, sessions.at(-1) ?? {})).status).toBe(200);
  });

  // @proves farm.mcp.session-caps
  test("the 257th session of all makes the oldest give way, and nobody is refused", async () => {
    const opened: Headers[] = [];
    while (opened.length < 257) {
      const own = await farm.place.logIn(await farm.place.addUser("viewer"));
      for (let i = 0; i < 64 && opened.length < 257; i += 1) {
        const { status, headers } = await post(initialize(), bearer(own));
        expect(status).toBe(200);
        opened.push({ ...bearer(own), "Mcp-Session-Id": headers["mcp-session-id"] ?? "" });
      }
    }
    const [oldest = {}, second = {}] = opened;
    expect((await post(PING, oldest)).status).toBe(404);
    expect((await post(PING, second)).status).toBe(200);
  });

  // @proves farm.mcp.host-origin
  test("a foreign Host or Origin is refused, with and without a token", async () => {
    for (const headers of [{ Host: "evil.example" }, { Origin: "http://evil.example" }]) {
      expect((await post(initialize(), { ...bearer(), ...headers })).status).toBe(403);
      expect((await ask({ method: "GET", target: "/health", headers })).status).toBe(403);
    }
  });

  // @proves farm.mcp.body-limit
  test("a body over 1 MB is refused, one below is read", async () => {
    const session = await openSession();
    const padded = (bytes: number) => ({ ...PING, params: { _meta: { pad: "x".repeat(bytes) } } });
    expect((await post(padded(1_000_000), session)).status).toBe(200);
    expect((await post(padded(1_100_000), session)).status).toBe(413);
    expect((await post(PING, session)).status).toBe(200);
  });
});

describe("GET /mcp", () => {
  // @proves farm.mcp.get-stream
  test("with a session id it is that session's stream, one at a time", async () => {
    const session = await openSession();
    const request = { method: "GET", target: "/mcp", headers: { ...session, Accept: "text/event-stream" } };
    const stream = await listen(request);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    const second = await listen(request);
    if (second.status !== 409) await stream.ended;
  });

  // @proves farm.mcp.get-stream farm.mcp.get-resume farm.subscription.update-meta
  test("what came after Last-Event-ID is sent again, to the byte", async () => {
    const session = await openSession();
    const request = { method: "GET", target: "/mcp", headers: { ...session, Accept: "text/event-stream" } };
    const subscribe = { jsonrpc: "2.0", id: 3, method: "resources/subscribe", params: { uri: "sensehub://alerts" } };
    expect((await post(subscribe, session)).status).toBe(200);
    const raise = (message: string) => farm.place.rest("POST", "/api/alerts", { body: { severity: "info", message } });
    const isUpdate = ({ data }: { data: string }) => data.includes("notifications/resources/updated");

    const first = await listen(request);
    await raise("one");
    const one = await first.event(isUpdate);
    expect(JSON.parse(one.data)).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "sensehub://alerts", _meta: { reason: expect.any(String) as unknown } },
    });
    await raise("two");
    const two = await first.event((event) => isUpdate(event) && event.id !== one.id);
    first.close();
    const again = await expectOpen({ ...request, headers: { ...request.headers, "Last-Event-ID": one.id ?? "" } });
    expect(await again.event(isUpdate)).toEqual(two);
  });

  /** The server may not have noticed yet that the first stream is gone. */
  async function expectOpen(request: RawRequest): Promise<RawStream> {
    for (;;) {
      const stream = await listen(request);
      if (stream.status === 200) return stream;
      expect(stream.status).toBe(409);
    }
  }

  // @proves farm.mcp.legacy-get
  test("the old SSE names /mcp itself for the messages", async () => {
    expect((await openSse()).target).toMatch(/^\/mcp\?sessionId=[^&\s]+$/);
  });

  // @proves farm.mcp.legacy-post farm.mcp-auth.bearer
  test.each(["text/event-stream", "*/*", undefined])(
    "without a session id and with Accept %s it is the old SSE",
    async (accept) => {
      const headers = { ...bearer(), ...(accept !== undefined && { Accept: accept }) };
      const stream = await listen({ method: "GET", target: "/mcp", headers });
      expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
      const first = await stream.event(() => true);
      expect(first.event).toBe("endpoint");
      expect(first.data).toMatch(/^\/mcp[^?]*\?sessionId=[^&\s]+$/);

      const session = first.data.split("=")[1] ?? "";
      const sent = await post(initialize(), bearer(), `/mcp?sessionId=${session}`);
      expect(sent.status).toBe(202);
      const answer = await stream.event(({ event }) => event === "message");
      expect(JSON.parse(answer.data)).toMatchObject({ id: 1, result: { serverInfo: { name: "sensehub" } } });
    },
  );

  // @proves farm.mcp.legacy-get-html
  test("a browser's question does not open it", async () => {
    const headers = { ...bearer(), Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const answer = await ask({ method: "GET", target: "/mcp", headers });
    expect(answer.headers["content-type"] ?? "").not.toContain("text/event-stream");
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  // @proves farm.mcp.legacy-post-shell-path
  test("messages are taken at the shell's own path, too", async () => {
    const { stream, target } = await openSse();
    const session = new URL(target, "http://pi").searchParams.get("sessionId") ?? "";
    expect((await post(initialize(), bearer(), `/mcp/messages?sessionId=${session}`)).status).toBe(202);
    await stream.event(({ event, data }) => event === "message" && data.includes('"serverInfo"'));
  });
});

describe("who may come in", () => {
  // @proves farm.mcp-auth.unauthorized
  test.each([
    ["nothing", {}],
    ["another scheme", { Authorization: "Basic eDp5" }],
    ["an empty bearer", { Authorization: "Bearer " }],
    ["two words", { Authorization: "Bearer one two" }],
    ["an unknown token", { Authorization: "Bearer nobody-knows-this-token" }],
    ["a key that is wrong by one letter", { Authorization: `Bearer ${API_KEY.slice(0, -1)}h` }],
  ])("%s is 401 in these words", async (_what, headers) => {
    const get = { method: "GET", target: "/mcp", headers: { Accept: "text/event-stream", ...headers } };
    for (const answer of [await post(initialize(), headers), await ask(get)]) {
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer\b/);
      expect(JSON.parse(answer.body)).toEqual({ error: "Unauthorized", message: expect.any(String) as unknown });
    }
  });

  // @proves farm.mcp-auth.sse-post-without-header
  test("the header of the opening GET is enough for the messages of its stream", async () => {
    const { stream, target } = await openSse();
    expect((await post(initialize(), {}, target)).status).toBe(202);
    expect((await post(INITIALIZED, {}, target)).status).toBe(202);
    expect((await post(call("get_automations"), {}, target)).status).toBe(202);
    const answer = await stream.event(({ data }) => data.includes('"id":2'));
    expect(JSON.parse(answer.data)).toMatchObject({ id: 2, result: { content: [{ type: "text" }] } });
    expect((await post(PING, {}, `/mcp?sessionId=${randomUUID()}`)).status).toBe(401);
  });

  // @proves farm.mcp-auth.sse-post-other-user
  test("another user's header is refused on that stream", async () => {
    const { target } = await openSse();
    const other = await farm.place.logIn(await farm.place.addUser("operator"));
    const answer = await post(initialize(), bearer(other), target);
    expect([401, 403, 404]).toContain(answer.status);
    expect((await post(initialize(), bearer("nobody-knows-this-token"), target)).status).toBe(401);
    expect((await post(initialize(), bearer(), target)).status).toBe(202);
  });

  // @proves farm.mcp-auth.dies-mid-session farm.mcp-auth.same-system farm.mcp-auth.sse-post-without-header
  test("a login that ends is 401 at the next request, and its streams close", { timeout: 90_000 }, async () => {
    const dying = await farm.place.logIn(farm.user);
    const session = await openSession(dying);
    const { stream: sse, target } = await openSse(dying);
    const get = await listen({ method: "GET", target: "/mcp", headers: { ...session, Accept: "text/event-stream" } });
    expect((await post(PING, session)).status).toBe(200);
    await farm.place.rest("POST", "/api/auth/logout", { token: dying });
    expect((await post(PING, session)).status).toBe(401);
    expect((await post(initialize(), {}, target)).status).toBeGreaterThanOrEqual(401);
    await Promise.all([sse.ended, get.ended]);
  });

  // @proves farm.mcp-auth.viewer-write farm.mcp-auth.caller-role farm.mcp-auth.no-audience
  test("a viewer reads, and a write is an error result with status 403 and HTTP 200", async () => {
    const session = await openSession(await farm.place.logIn(await farm.place.addUser("viewer")));
    expect(messageOf(await post(call("get_equipment_list"), session))).not.toHaveProperty("result.isError", true);
    const body = { name: "By hand", trigger_config: { type: "manual" }, actions: [] };
    const { id } = (await farm.place.rest("POST", "/api/automations", { body })).json as { id: number };
    const before = farm.place.writes().length;
    for (const message of [
      call("control_relay", { equipment_id: farm.board, channel: 0, state: true }),
      call("trigger_automation", { automation_id: id }),
      call("toggle_automation", { automation_id: id }),
    ]) {
      const answer = await post(message, session);
      expect(answer.status).toBe(200);
      const { result } = messageOf(answer) as { result: { isError: boolean; content: { text: string }[] } };
      expect(result.isError).toBe(true);
      expect(result).not.toHaveProperty("structuredContent");
      expect(JSON.parse(result.content[0]?.text ?? "")).toMatchObject({ status: 403, retryable: false });
    }
    expect(farm.place.writes()).toHaveLength(before);
  });

  // @proves farm.mcp-auth.static-key farm.mcp-auth.static-key-wrong
  test("the static key has the role that was given to it, and no more", async () => {
    const session = await openSession(API_KEY);
    const read = messageOf(await post(call("get_equipment_list"), session)) as { result: object };
    expect(read.result).not.toMatchObject({ isError: true });
    const control = call("control_relay", { equipment_id: farm.board, channel: 0, state: true });
    expect(messageOf(await post(control, session))).toMatchObject({ result: { isError: true } });
    expect((await post(initialize(), bearer(`${API_KEY}x`))).status).toBe(401);
  });

  // @proves farm.mcp-auth.static-key-no-default
  test("without MCP_API_KEY no key works, not even none", async () => {
    const keyless = await startA64Farm();
    try {
      for (const value of ["", "undefined", "null", "sensehub-mcp-key", "sensehub-mcp-default-key", API_KEY]) {
        const headers = { ...POSTED, Authorization: `Bearer ${value}` };
        const body = JSON.stringify(initialize());
        const answer = await rawRequest(keyless.place.mcpServer, { method: "POST", target: "/mcp", headers, body });
        expect([value, answer.status]).toEqual([value, 401]);
      }
    } finally {
      await keyless.place.tidy();
    }
  });
});
