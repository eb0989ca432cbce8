import {
  Agent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as SecureAgent, request as requestHttps } from "node:https";
import { millis, type Clock, type Json, type JsonObject, type SteadingError } from "@steading/kernel";
import { parseBoundedJson } from "./bounded-json.ts";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreAddress } from "./core-address.ts";

export interface CoreRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly token?: string | undefined;
  /** On the clock that only grows: when an answer comes too late. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection stands and nothing has been sent. What it throws ends the request. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface CoreAnswer {
  readonly status: number;
  /** Undefined: the body was no JSON, or there was none. */
  readonly body: Json | undefined;
  /** Seconds, when the core said when to come again. */
  readonly retryAfter: number | undefined;
}

export interface CoreHttp {
  /** Throws CORE_DOWN, CORE_TIMEOUT, CORE_GARBLED or CORE_BUSY; any answer with a status is an answer. */
  ask(request: CoreRequest): Promise<CoreAnswer>;
  /** Ends the connections that are kept open. */
  close(): void;
  readonly counters: { readonly asked: number; readonly failed: number; readonly refused: number };
}

/** A list of a thousand devices is two megabytes. */
const MOST_BODY = 8 * 1024 * 1024;
const MOST_HEADERS = 16 * 1024;
const MOST_SOCKETS = 16;
/** Under way and waiting for a socket; whoever comes beyond is told to come again. */
const MOST_AT_ONCE = 256;

/**
 * One core, asked over HTTP. Redirects are answers like any other and never followed, so a credential goes to no other
 * place than the one in the settings.
 */
export function createCoreHttp({ address, clock }: { address: CoreAddress; clock: Clock }): CoreHttp {
  const send = address.secure ? requestHttps : requestHttp;
  const agent = new (address.secure ? SecureAgent : Agent)({
    keepAlive: true,
    maxSockets: MOST_SOCKETS,
    timeout: 30_000,
  });
  const counters = { asked: 0, failed: 0, refused: 0 };
  let atOnce = 0;

  function once(request: CoreRequest, fresh = request.method !== "GET"): Promise<CoreAnswer> {
    return new Promise<CoreAnswer>((resolve, reject) => {
      const { signal, until } = request;
      let over = false;
      let outgoing: ClientRequest | undefined;
      const cancel = clock.timer(millis(Math.max(0, until - clock.monotonic())), () => {
        end(() => reject(bridgeError("CORE_TIMEOUT", `The core at ${address.shown} did not answer in time.`)));
      });
      const onAbort = (): void => end(() => reject(down("the call was given up")));
      function end(settle: () => void): void {
        if (over) return;
        over = true;
        cancel();
        signal?.removeEventListener("abort", onAbort);
        settle();
        outgoing?.destroy();
      }
      const fail = (error: Error): void => end(() => reject(error));
      if (signal?.aborted) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        outgoing = open(request, fresh);
      } catch (error) {
        return fail(down("the request could not be made", error));
      }
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // The core may close a connection that was kept just when it is used again: that says nothing about the core.
        if (outgoing?.reusedSocket && !fresh) end(() => resolve(once(request, true)));
        else fail(down(error.code ?? "no connection", error));
      });
      outgoing.on("response", (incoming) => {
        collect(incoming).then(
          (answer) => {
            // The whole answer is in; destroying the request would waste a connection that can be used again.
            outgoing = undefined;
            end(() => resolve(answer));
          },
          (error: Error) => fail(error),
        );
      });
      push(outgoing, request, fail);
    });
  }

  function open({ method, path, query, body, headers, token }: CoreRequest, fresh: boolean): ClientRequest {
    const options: RequestOptions = {
      method,
      // A command gets a connection of its own: on one that was kept, nobody can tell a command that was lost with the
      // connection from one that was carried out.
      agent: fresh ? false : agent,
      maxHeaderSize: MOST_HEADERS,
      headers: {
        ...headers,
        accept: "application/json",
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": weight(body) }),
        ...(body === undefined && method === "POST" ? { "content-length": 0 } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    };
    return send(address.url(path, query), options);
  }

  function push(outgoing: ClientRequest, { body, beforeSend }: CoreRequest, fail: (error: Error) => void): void {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    if (!beforeSend) return void outgoing.end(payload);
    // Nothing leaves before `end`: the connection can be waited for first.
    outgoing.once("socket", (socket) => {
      const go = (): void => {
        try {
          beforeSend();
          outgoing.end(payload);
        } catch (error) {
          fail(error instanceof Error ? error : down("it was given up", error));
        }
      };
      if (socket.connecting) socket.once(address.secure ? "secureConnect" : "connect", go);
      else go();
    });
  }

  function collect(incoming: IncomingMessage): Promise<CoreAnswer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on("data", (piece: Buffer) => {
        size += piece.length;
        if (size > MOST_BODY) {
          reject(bridgeError("CORE_GARBLED", `The core at ${address.shown} sent more than ${MOST_BODY} bytes.`));
          incoming.destroy();
        } else pieces.push(piece);
      });
      incoming.on("error", (error) => reject(down("it broke off its answer", error)));
      incoming.on("close", () => reject(down("it broke off its answer")));
      incoming.on("end", () => {
        if (!incoming.complete) return reject(down("it broke off its answer"));
        const text = Buffer.concat(pieces).toString("utf8");
        const retryAfter = Number(incoming.headers["retry-after"]);
        resolve({
          status: incoming.statusCode ?? 0,
          body: text.trim() === "" ? undefined : parseBoundedJson(text),
          retryAfter: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
        });
      });
    });
  }

  function down(why: string, cause?: unknown): SteadingError {
    return bridgeError("CORE_DOWN", `The core at ${address.shown} cannot be reached (${why}).`, { cause });
  }

  return {
    counters,
    async ask(request) {
      if (atOnce >= MOST_AT_ONCE) {
        counters.refused += 1;
        throw bridgeError("CORE_BUSY", `${MOST_AT_ONCE} requests to the core are under way already.`);
      }
      atOnce += 1;
      counters.asked += 1;
      try {
        return await once(request);
      } catch (error) {
        counters.failed += 1;
        throw error;
      } finally {
        atOnce -= 1;
      }
    },
    close: () => agent.destroy(),
  };
}

function weight(body: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(body));
}
