import type { HttpAnswer } from "./answer-reader.ts";
import { A64StatusError } from "./client-errors.ts";
import type { A64ExchangeLog } from "./exchange-log.ts";
import { createHttpxClient, type HttpxClient } from "./httpx-client.ts";
import type { HeaderLines } from "./request-bytes.ts";
import { isObject, rowsIn } from "./seen-rows.ts";

const TIMEOUT_MS = 10_000;
const CALL_ID = 2;

/** The static key of a site, or the login that the seed describes. */
export type A64Credential =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "login"; readonly token: () => Promise<string>; readonly login: () => Promise<string> };

/** The client's calls over MCP. An error result is data to it, like any other text. */
export interface A64Mcp {
  /** The first text item of the answer, as JSON where it is JSON. */
  callTool(name: string, args: object): Promise<unknown>;
  equipment(filter?: { readonly status?: string; readonly zone?: string }): Promise<readonly unknown[]>;
  readings(
    id: number,
    range?: { readonly from?: string; readonly to?: string; readonly limit?: number },
  ): Promise<readonly unknown[]>;
  automations(): Promise<readonly unknown[]>;
  alerts(filter?: { readonly severity?: string; readonly acknowledged?: boolean }): Promise<readonly unknown[]>;
  health(): Promise<unknown>;
  systemInfo(): Promise<unknown>;
  controlRelay(id: number, channel: number, state: boolean): Promise<unknown>;
  triggerAutomation(id: number): Promise<unknown>;
  toggleAutomation(id: number): Promise<unknown>;
  /** Undefined before the first call. */
  readonly session: string | undefined;
  readonly handshakes: number;
}

export function createA64Mcp({
  mcp,
  credential,
  log,
  connections,
}: {
  /** `http://host:3001`, without the path. */
  readonly mcp: string;
  readonly credential: A64Credential;
  readonly log: A64ExchangeLog;
  /** Whether the three steps of a handshake share a connection. */
  readonly connections: "each" | "kept";
}): A64Mcp {
  let session: string | undefined;
  let handshakes = 0;

  async function during<T>(use: (client: HttpxClient) => Promise<T>): Promise<T> {
    const client = createHttpxClient({ origin: mcp, timeoutMs: TIMEOUT_MS, log });
    try {
      return await use(client);
    } finally {
      client.close();
    }
  }

  async function headers(id?: string): Promise<HeaderLines> {
    const bearer = credential.kind === "key" ? credential.key : await credential.token();
    return [
      ["Authorization", `Bearer ${bearer}`],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
      ...(id === undefined ? [] : [["Mcp-Session-Id", id] as const]),
    ];
  }

  async function post(client: HttpxClient, json: object, id?: string): Promise<HttpAnswer> {
    const answer = await client.request({ method: "POST", path: "/mcp", json, headers: await headers(id) });
    if (connections === "each") client.close();
    return answer;
  }

  async function handshake(): Promise<string> {
    handshakes += 1;
    return during(async (client) => {
      const params = {
        protocolVersion: "2024-11-05",
        capabilities: {},
        clientInfo: { name: "a64-farm-ai", version: "1.0.0" },
      };
      const answer = refuseFailure(
        "initialize",
        await post(client, { jsonrpc: "2.0", method: "initialize", params, id: 1 }),
      );
      const id = answer.headers["mcp-session-id"];
      if (id === undefined || id === "") throw new Error("The answer to initialize has no Mcp-Session-Id.");
      session = id;
      // Sent and forgotten: the client never looks at the answer.
      await post(client, { jsonrpc: "2.0", method: "notifications/initialized" }, id);
      return id;
    });
  }

  /** What the seed wants after a 401, and 404 alone makes a session begin again. */
  async function startAgain(status: number): Promise<boolean> {
    if (status === 401 && credential.kind === "login") await credential.login();
    else if (status !== 404) return false;
    session = undefined;
    return true;
  }

  async function request(method: string, params: object): Promise<unknown> {
    const json = { jsonrpc: "2.0", method, params, id: CALL_ID };
    return during(async (client) => {
      const id = session ?? (await firstHandshake());
      let answer = await post(client, json, id);
      if (answer.status >= 400 && (await startAgain(answer.status)))
        answer = await post(client, json, await handshake());
      return firstMessage(refuseFailure(method, answer));
    });
  }

  async function firstHandshake(): Promise<string> {
    try {
      return await handshake();
    } catch (error) {
      const isRefused = error instanceof A64StatusError && error.status === 401 && credential.kind === "login";
      if (!isRefused) throw error;
      await credential.login();
      return handshake();
    }
  }

  async function callTool(name: string, args: object): Promise<unknown> {
    const answer = await request("tools/call", { name, arguments: args });
    const result = isObject(answer) ? answer["result"] : undefined;
    const content = isObject(result) ? rowsIn(result["content"]) : [];
    const first = content.find((item) => isObject(item) && item["type"] === "text");
    const text = isObject(first) ? first["text"] : undefined;
    return typeof text === "string" ? asJson(text, { raw: text }) : {};
  }

  const under = async (name: string): Promise<unknown> => {
    const status = await callTool("get_system_status", {});
    return isObject(status) && Object.hasOwn(status, name) ? status[name] : status;
  };

  return {
    callTool,
    equipment: async (filter = {}) => rowsIn(await callTool("get_equipment_list", filter), "equipment", "data"),
    readings: async (id, range = {}) =>
      rowsIn(await callTool("get_sensor_readings", { equipment_id: id, ...range }), "readings", "data"),
    automations: async () => rowsIn(await callTool("get_automations", {}), "automations", "data"),
    alerts: async (filter = {}) => rowsIn(await callTool("get_alerts", filter), "alerts", "data"),
    health: () => under("health"),
    systemInfo: () => under("system_info"),
    controlRelay: (id, channel, state) => callTool("control_relay", { equipment_id: id, channel, state }),
    triggerAutomation: (id) => callTool("trigger_automation", { automation_id: id }),
    toggleAutomation: (id) => callTool("toggle_automation", { automation_id: id }),
    get session() {
      return session;
    },
    get handshakes() {
      return handshakes;
    },
  };
}

function refuseFailure(what: string, answer: HttpAnswer): HttpAnswer {
  if (answer.status < 300) return answer;
  throw new A64StatusError({ what, status: answer.status, body: answer.body.toString("utf8") });
}

/** Plain JSON, or of a stream the first frame that is JSON, whatever follows. */
function firstMessage({ headers, body }: HttpAnswer): unknown {
  const text = body.toString("utf8");
  if (!headers["content-type"]?.includes("text/event-stream")) return JSON.parse(text);
  for (const line of text.split(/\r\n|\r|\n/)) {
    const data = line.trim().startsWith("data:") ? line.trim().slice("data:".length).trim() : "";
    const message = data === "" ? undefined : asJson(data, undefined);
    if (message !== undefined) return message;
  }
  return {};
}

/** The client passes over what it cannot read. */
function asJson(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
