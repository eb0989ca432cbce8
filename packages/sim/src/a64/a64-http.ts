import type { HttpAnswer } from "./answer-reader.ts";
import { A64StatusError } from "./client-errors.ts";
import type { A64ExchangeLog } from "./exchange-log.ts";
import { createHttpxClient, type HttpxClient } from "./httpx-client.ts";
import type { OutgoingRequest } from "./request-bytes.ts";
import { isObject, rowsIn } from "./seen-rows.ts";

const TIMEOUT_MS = 5_000;
/** It never reads `expiresAt`: eight hours are what it counts on. */
const TOKEN_LIFE_MS = 8 * 3_600_000;
const REFRESH_EARLY_MS = 30 * 60_000;

/** The client's calls over plain HTTP. Each rejects with an A64StatusError at 400 and above. */
export interface A64Http {
  health(): Promise<unknown>;
  setupStatus(): Promise<unknown>;
  systemInfo(): Promise<unknown>;
  /** Without `chartReadings`, which the client throws away. */
  dashboard(): Promise<unknown>;
  equipment(filter?: { readonly status?: string; readonly zone?: string }): Promise<readonly unknown[]>;
  history(
    id: number,
    range?: { readonly from?: string; readonly to?: string; readonly limit?: number },
  ): Promise<readonly unknown[]>;
  controlRelay(id: number, channel: number, state: boolean): Promise<unknown>;
  controlAllRelays(id: number, states: readonly boolean[]): Promise<unknown>;
  automations(): Promise<readonly unknown[]>;
  createAutomation(automation: object): Promise<unknown>;
  updateAutomation(id: number, change: object): Promise<unknown>;
  deleteAutomation(id: number): Promise<unknown>;
  toggleAutomation(id: number): Promise<unknown>;
  triggerAutomation(id: number): Promise<unknown>;
  alerts(filter?: { readonly severity?: string; readonly acknowledged?: boolean }): Promise<readonly unknown[]>;
  acknowledgeAlert(id: number): Promise<unknown>;
  /** Logs in whatever is known, and keeps the token. */
  login(): Promise<string>;
  /** The token it has, or one from a login when that is too old. */
  token(): Promise<string>;
  readonly logins: number;
}

export function createA64Http({
  core,
  email,
  password,
  log,
  now,
}: {
  readonly core: string;
  readonly email: string;
  readonly password: string;
  readonly log: A64ExchangeLog;
  readonly now: () => number;
}): A64Http {
  let session: { readonly token: string; readonly until: number } | undefined;
  let logins = 0;

  /** One client object for one call, as `async with` makes it. */
  async function during<T>(use: (client: HttpxClient) => Promise<T>): Promise<T> {
    const client = createHttpxClient({ origin: core, timeoutMs: TIMEOUT_MS, log });
    try {
      return await use(client);
    } finally {
      client.close();
    }
  }

  async function login(): Promise<string> {
    const request: OutgoingRequest = { method: "POST", path: "/api/auth/login", json: { email, password } };
    const answer = read(request, await during((client) => client.request(request)));
    const token = isObject(answer) ? answer["token"] : undefined;
    if (typeof token !== "string") throw new Error("The answer to a login has no token.");
    logins += 1;
    session = { token, until: now() + TOKEN_LIFE_MS };
    return token;
  }

  async function token(): Promise<string> {
    return session && now() < session.until - REFRESH_EARLY_MS ? session.token : login();
  }

  async function call(request: OutgoingRequest): Promise<unknown> {
    const bearer = (value: string): OutgoingRequest => ({
      ...request,
      headers: [["Authorization", `Bearer ${value}`]],
    });
    const first = await token();
    return during(async (client) => {
      const answer = await client.request(bearer(first));
      if (answer.status !== 401) return read(request, answer);
      const second = await login();
      return read(request, await client.request(bearer(second)));
    });
  }

  async function open(path: string): Promise<unknown> {
    const request: OutgoingRequest = { method: "GET", path };
    return read(request, await during((client) => client.request(request)));
  }

  const automation = (id: number) => `/api/automations/${id}`;
  return {
    health: () => open("/api/health"),
    setupStatus: () => open("/api/auth/setup-status"),
    systemInfo: () => call({ method: "GET", path: "/api/system/info" }),
    async dashboard() {
      const overview = await call({ method: "GET", path: "/api/dashboard/overview" });
      if (!isObject(overview)) return overview;
      const { chartReadings: _thrownAway, ...kept } = overview;
      return kept;
    },
    equipment: async (filter = {}) =>
      rowsIn(await call({ method: "GET", path: "/api/equipment", query: { ...filter } }), "data", "equipment"),
    history: async (id, range = {}) =>
      rowsIn(
        await call({ method: "GET", path: `/api/equipment/${id}/history`, query: { ...range } }),
        "data",
        "history",
      ),
    controlRelay: (id, channel, state) =>
      call({ method: "POST", path: `/api/equipment/${id}/relay/control`, json: { channel, state } }),
    controlAllRelays: (id, states) =>
      call({ method: "POST", path: `/api/equipment/${id}/relay/all`, json: { states } }),
    automations: async () => rowsIn(await call({ method: "GET", path: "/api/automations" }), "data", "automations"),
    createAutomation: (json) => call({ method: "POST", path: "/api/automations", json }),
    updateAutomation: (id, json) => call({ method: "PUT", path: automation(id), json }),
    deleteAutomation: (id) => call({ method: "DELETE", path: automation(id) }),
    toggleAutomation: (id) => call({ method: "POST", path: `${automation(id)}/toggle` }),
    triggerAutomation: (id) => call({ method: "POST", path: `${automation(id)}/trigger` }),
    async alerts({ severity, acknowledged } = {}) {
      const text = acknowledged === undefined ? undefined : String(acknowledged);
      const query = { severity, acknowledged: text };
      return rowsIn(await call({ method: "GET", path: "/api/alerts", query }), "data", "alerts");
    },
    acknowledgeAlert: (id) => call({ method: "POST", path: `/api/alerts/${id}/acknowledge` }),
    login,
    token,
    get logins() {
      return logins;
    },
  };
}

function read({ method, path }: OutgoingRequest, { status, body }: HttpAnswer): unknown {
  const text = body.toString("utf8");
  if (status >= 300) throw new A64StatusError({ what: `${method} ${path}`, status, body: text });
  return JSON.parse(text);
}
