import { createHmac, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createVirtualFarm, type FarmAddresses, type FarmExchange, type VirtualFarm } from "@steading/sim";
import { stringify } from "yaml";
import { startHub, type HubProcess } from "./hub-process.ts";
import { secret } from "./run-record.ts";
import { runSteading } from "./steading-run.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** Signs this hub's logins, so that a test can make one that ended long ago. */
const JWT_SECRET = secret("Kd4pW9sY2hC7mF1vB6xQ3tN8zR5gJ0uL");
const PASSWORD = secret("heron at the sluice gate");

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** A hub with a farm in a process of its own, and the virtual farm in the test's, whose wire can be counted. */
export interface FarmHub {
  readonly hub: HubProcess;
  readonly sim: VirtualFarm;
  readonly addresses: FarmAddresses;
  /** SenseHub's MCP server: `http://127.0.0.1:<port>`. */
  readonly mcpServer: string;
  /** REST on the main port, with the hub's first token unless another is given; null sends none. */
  rest(method: string, path: string, options?: { body?: unknown; token?: string | null }): Promise<HttpAnswer>;
  addEquipment(row: object): Promise<number>;
  /** Makes an account with a password, through the command that people use. */
  addUser(role: "viewer" | "operator" | "admin"): Promise<{ readonly email: string; readonly password: string }>;
  /** Runs a command on the hub's data directory, as a person at the machine does. */
  steading(...args: readonly string[]): Promise<string>;
  /** The seed's way in: POST /api/auth/login on the main port. */
  logIn(user: { readonly email: string; readonly password: string }): Promise<string>;
  /** A login of that user, rightly signed, that ended an hour ago. */
  expiredToken(userId: number): string;
  /** What went out to change something, on any gateway. */
  writes(): readonly FarmExchange[];
  restart(): Promise<void>;
  tidy(): Promise<void>;
}

export interface FarmHubOptions {
  /** Settings below `farm`. */
  readonly farm?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Function codes that write: coils and registers, one or many. */
const WRITING = new Set([5, 6, 15, 16]);

export async function startFarmHub({ farm = {}, environment = {} }: FarmHubOptions = {}): Promise<FarmHub> {
  const folder = await createTemporaryFolder();
  const sim = createVirtualFarm();
  const addresses = await sim.start();
  const data = folder.at("data");
  const config = folder.at("steading.config.yaml");
  await writeFile(config, stringify({ access: "write", farm: { port: 0, ...farm } }));
  const start = (): Promise<HubProcess> => startHub({ data, config, environment: { JWT_SECRET, ...environment } });
  let hub = await start();

  async function steading(args: readonly string[], input = ""): Promise<string> {
    const { code, out, err } = await runSteading([...args, "--data", data], { input });
    if (code !== 0) throw new Error(`steading ${args[0]} ended with ${code}: ${err}`);
    return out;
  }

  async function rest(
    method: string,
    path: string,
    { body, token = hub.token }: { body?: unknown; token?: string | null } = {},
  ): Promise<HttpAnswer> {
    const answer = await fetch(`${hub.url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: text === "" ? undefined : parsed(text) };
  }

  return {
    get hub() {
      return hub;
    },
    sim,
    addresses,
    get mcpServer() {
      return String(hub.ready["farm"]).replace(/\/mcp$/, "");
    },
    rest,
    async addEquipment(row) {
      const { status, json, text } = await rest("POST", "/api/equipment", { body: row });
      if (status !== 201) throw new Error(`Equipment was refused with ${status}: ${text}`);
      return (json as { id: number }).id;
    },
    async addUser(role) {
      const email = `${role}-${randomUUID().slice(0, 8)}@farm.example`;
      await steading(["user", "add", email, "--role", role], `${PASSWORD}\n`);
      return { email, password: PASSWORD };
    },
    steading: (...args) => steading(args),
    async logIn(user) {
      const { status, json, text } = await rest("POST", "/api/auth/login", { body: user, token: null });
      if (status !== 200) throw new Error(`The login was refused with ${status}: ${text}`);
      return secret((json as { token: string }).token);
    },
    expiredToken(userId) {
      const now = Math.floor(Date.now() / 1_000);
      return secret(signed({ userId, jti: randomUUID(), iat: now - 9 * 3_600, exp: now - 3_600 }));
    },
    writes: () => sim.exchanges.filter(({ code }) => WRITING.has(code)),
    async restart() {
      await hub.stop();
      hub = await start();
    },
    async tidy() {
      await hub.stop();
      await sim.stop();
      await folder.remove();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** HS256, written out: the hub's own signer would only agree with itself. */
function signed(claims: object): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${body}.${createHmac("sha256", JWT_SECRET).update(body).digest("base64url")}`;
}
