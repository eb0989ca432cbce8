import { createA64Http, type A64Http } from "./a64-http.ts";
import { createA64Mcp, type A64Credential, type A64Mcp } from "./a64-mcp.ts";
import { createA64ExchangeLog, type A64Exchange } from "./exchange-log.ts";

export interface A64ClientOptions {
  /** Where the REST core is, `http://host:3000`. */
  readonly core: string;
  /** Where the MCP server is, `http://host:3001`, without the path. */
  readonly mcp: string;
  readonly email: string;
  readonly password: string;
  /** The static key of the MCP server. Without one the login's token is used there, too. */
  readonly apiKey?: string;
  /** `each` gives every message of MCP a connection of its own, `kept` one for each handshake. Default `each`. */
  readonly connections?: "each" | "kept";
  /** Epoch milliseconds, by which tokens grow old. The machine's clock unless given. */
  readonly now?: () => number;
  /** Exchanges that are remembered. Default 1 000. */
  readonly logLimit?: number;
}

/** The backend that talks to SenseHub today: what it sends is bytes as its Python sends them, what it reads is what it reads. */
export interface A64Client {
  readonly http: A64Http;
  readonly mcp: A64Mcp;
  /** Over MCP, and over HTTP when that fails for whatever reason. */
  preferMcp<T>(overMcp: (mcp: A64Mcp) => Promise<T>, overHttp: (http: A64Http) => Promise<T>): Promise<T>;
  /** How often MCP failed and HTTP was asked. */
  readonly fallbacks: number;
  /** Every request and its answer in bytes, oldest first. */
  readonly exchanges: readonly A64Exchange[];
  readonly exchangesDropped: number;
}

export function createA64Client({
  core,
  mcp: mcpOrigin,
  email,
  password,
  apiKey,
  connections = "each",
  now = Date.now,
  logLimit = 1_000,
}: A64ClientOptions): A64Client {
  const log = createA64ExchangeLog({ limit: logLimit });
  const http = createA64Http({ core, email, password, log, now });
  const credential: A64Credential =
    apiKey === undefined ? { kind: "login", token: http.token, login: http.login } : { kind: "key", key: apiKey };
  const mcp = createA64Mcp({ mcp: mcpOrigin, credential, log, connections });
  let fallbacks = 0;
  return {
    http,
    mcp,
    async preferMcp(overMcp, overHttp) {
      try {
        return await overMcp(mcp);
      } catch {
        fallbacks += 1; // the client does not care why
        return overHttp(http);
      }
    },
    get fallbacks() {
      return fallbacks;
    },
    get exchanges() {
      return log.exchanges;
    },
    get exchangesDropped() {
      return log.dropped;
    },
  };
}
