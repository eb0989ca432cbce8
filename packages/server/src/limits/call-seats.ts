import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cancel } from "@steading/kernel";
import type { CallRate } from "./call-rate.ts";
import type { Places } from "./places.ts";

/** The places one HTTP request took for the calls in its body. */
export interface Seats {
  /** The running call takes a seat over and gives it back when it ends, which may be long after the request. */
  claim(): Cancel | undefined;
}

export interface CallSeats {
  /** Seats for `calls` calls, or how many seconds to wait before trying again. */
  reserve(order: {
    principal: string;
    calls: number;
    remote: boolean;
    res: ServerResponse;
  }): Seats | { readonly retryAfter: number };
  /** One call without an HTTP request around it. Undefined: too many run already. */
  take(principal: string): Cancel | undefined;
}

/**
 * Decides about calls before anything is spent on them. The decision falls in the HTTP layer, where 429 can still be
 * said, and holds for the call itself, which a 2025 client may outlive by hanging up.
 */
export function createCallSeats({ places, rate }: { readonly places: Places; readonly rate: CallRate }): CallSeats {
  return {
    reserve({ principal, calls, remote, res }) {
      if (calls === 0) return { claim: () => undefined };
      const taken: Cancel[] = [];
      const giveBack = (): void => taken.splice(0).forEach((release) => release());
      for (let i = 0; i < calls; i++) {
        const wait = remote ? rate.spend(principal) : 0;
        const place = wait > 0 ? undefined : places.take(principal);
        if (place === undefined) {
          giveBack();
          return { retryAfter: Math.max(1, wait) };
        }
        taken.push(place);
      }
      res.once("close", giveBack);
      return { claim: () => taken.pop() };
    },
    take: (principal) => places.take(principal),
  };
}

/** Loopback callers are limited in concurrency only. */
export function isRemote({ socket }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? "";
  return !(address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127."));
}

/** How many tool calls a body asks for. */
export function callsIn(body: unknown): number {
  if (Array.isArray(body)) return body.filter(isCall).length;
  return isCall(body) ? 1 : 0;
}
function isCall(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "tools/call";
}
