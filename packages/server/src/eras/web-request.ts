import type { IncomingMessage, ServerResponse } from "node:http";
import type { Seats } from "../limits/call-seats.ts";

const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);
const seatsOf = new WeakMap<object, Seats>();

/** The seats that were reserved for the calls in a request's body. */
export function seatsFor(request: Request | undefined): Seats | undefined {
  return request === undefined ? undefined : seatsOf.get(request);
}

/**
 * As much of a fetch `Request` as the SDK looks at. Building a real one and cloning it costs a third of the whole call;
 * the body is not in it, because it was read and parsed before.
 */
export function toWebRequest(req: IncomingMessage, res: ServerResponse, seats?: Seats): Request {
  const aborter = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) aborter.abort(new Error("The client closed the connection"));
  });
  const request = {
    method: req.method ?? "GET",
    url: `http://${req.headers.host ?? "localhost"}${req.url ?? "/"}`,
    headers: {
      get(name: string): string | null {
        const key = name.toLowerCase();
        // Nothing behind the gate needs a credential, so nothing behind it can pass one on.
        if (SECRET_HEADERS.has(key)) return null;
        const value = req.headers[key];
        return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
      },
      has(name: string): boolean {
        const key = name.toLowerCase();
        return !SECRET_HEADERS.has(key) && req.headers[key] !== undefined;
      },
    },
    signal: aborter.signal,
    body: null,
    clone: () => request,
  };
  if (seats !== undefined) seatsOf.set(request, seats);
  // The members above are all the SDK reads; its own tests and ours would show a missing one.
  return request as unknown as Request;
}
