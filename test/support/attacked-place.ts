import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createLamp, type Lamp } from "@steading/sim";
import { stringify } from "yaml";
import { startHub, type HubProcess } from "./hub-process.ts";
import { recordOutput, secret } from "./run-record.ts";
import { runSteading } from "./steading-run.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { startTrialIssuer, type TrialIssuer } from "./trial-issuer.ts";

/** Shorter ones are words that a test made up. */
const SHORTEST_TOKEN = 20;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Of the last event, where the answer is a stream of them. Undefined: it holds no JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

export interface Posting {
  readonly token?: string | undefined;
  /** Any header, `host` included; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly path?: string;
  readonly method?: string;
}

/** A hub in its own process with a lamp that must stay off, and hands that can send it anything. */
export interface AttackedPlace {
  readonly hub: HubProcess;
  readonly lamp: Lamp;
  readonly issuer: TrialIssuer;
  /** The audience of this hub's tokens. */
  readonly audience: string;
  /** Bytes as they are, with the headers of a 2026 call unless they are spoilt. */
  send(body: string | undefined, posting?: Posting): Promise<Answer>;
  /** A well-formed 2026 call. */
  call(
    tool: string,
    args: object,
    posting?: Posting & { readonly meta?: object; readonly more?: object },
  ): Promise<Answer>;
  /** A token of an account that is made for it. */
  tokenFor(name: string, role: string, ...flags: readonly string[]): Promise<string>;
  steading(...args: readonly string[]): Promise<string>;
  /** What changed something on the lamp's wire. */
  commands(): readonly string[];
  metric(line: string): Promise<number>;
  tidy(): Promise<void>;
}

export const PUBLIC_URL = "https://hub.example";

export async function createAttackedPlace(limits: Readonly<Record<string, number>>): Promise<AttackedPlace> {
  const folder = await createTemporaryFolder();
  const lamp = createLamp();
  const { host, port } = await lamp.start();
  const issuer = await startTrialIssuer();
  const data = folder.at("data");
  const config = folder.at("steading.config.yaml");
  const lamps = [{ name: "hall", host, port, timeoutMs: 300, pollMs: 250 }];
  const club = { name: "club", issuer: issuer.url, jwksUrl: `${issuer.url}/jwks`, otherwise: "operator" };
  await writeFile(config, stringify({ access: "write", publicUrl: PUBLIC_URL, issuers: [club], lamps, limits }));
  const hub = await startHub({ data, config });

  async function steading(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await runSteading([...args, "--data", data]);
    if (code !== 0) throw new Error(`steading ${args.join(" ")} ended with ${code}: ${err}`);
    return out.trim();
  }

  function send(body: string | undefined, { token, headers = {}, path = "/mcp", method = "POST" }: Posting = {}) {
    const all: Record<string, string | undefined> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    const given = Object.fromEntries(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    if (token !== undefined && token.length >= SHORTEST_TOKEN) secret(token);
    return new Promise<Answer>((resolve, reject) => {
      const asked = request(`${hub.url}${path}`, { method, headers: given, agent: false }, (res) => {
        let text = "";
        res.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        res.on("close", () => {
          const status = res.statusCode ?? 0;
          if (status >= 400 || text.includes('"error"')) recordOutput("errors", text);
          resolve({ status, headers: res.headers, text, json: jsonOf(text) });
        });
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  return {
    hub,
    lamp,
    issuer,
    audience: `${PUBLIC_URL}/mcp`,
    send,
    call(tool, args, { meta = {}, more = {}, ...posting } = {}) {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        ...meta,
      };
      const params = { name: tool, arguments: args, _meta, ...more };
      const headers = { "mcp-method": "tools/call", "mcp-name": tool, ...posting.headers };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return send(body, { token: hub.token, ...posting, headers });
    },
    async tokenFor(name, role, ...flags) {
      await steading("user", "add", name, "--role", role, "--no-password");
      return steading("token", "create", name, "--label", "attack", ...flags);
    },
    steading,
    commands: () => lamp.wire.flatMap(({ request: { kind } }) => (kind === "read" || kind === "count" ? [] : [kind])),
    async metric(line) {
      const { text } = await send(undefined, { token: hub.token, path: "/metrics", method: "GET" });
      const found = text.split("\n").find((each) => each.startsWith(`${line} `));
      return found === undefined ? Number.NaN : Number(found.slice(line.length));
    },
    async tidy() {
      await hub.stop();
      await lamp.stop();
      await issuer.close();
      await folder.remove();
    },
  };
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const data = [...text.matchAll(/^data: (\{.+)$/gm)].at(-1)?.[1] ?? text;
  try {
    return JSON.parse(data) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
