import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cancel } from "@steading/kernel";
import { isRemote } from "../http/peer.ts";
import type { CallRate } from "./call-rate.ts";
import type { Places } from "./places.ts";

/** The places one HTTP request took for the calls in its body. */
export interface Seats {
  /** The running call takes a seat over and gives it back when it ends, which may be long after the request. */
  claim(): Cancel | undefined;
  /** Whatever nobody has claimed by then is given back when the answer is over. */
  giveBackWith(res: ServerResponse): void;
}

export interface SeatOrder {
  /** Who asks, or from which address. */
  readonly principal: string;
  /** They have no credential. Such callers have seats of their own, and take none from those who have. */
  readonly isStranger?: boolean;
  readonly calls: number;
  /**
   * How many of them make things safe. Neither a pace nor other calls stop those, so there are seats kept for them. Asked
   * only when there is no other seat.
   */
  urgent?(): number;
  readonly req: IncomingMessage;
}

export interface CallSeats {
  /** Seats for `calls` calls, or how many seconds to wait before trying again. */
  reserve(order: SeatOrder): Seats | { readonly retryAfter: number };
  /** One call without an HTTP request around it. Undefined: too many run already. */
  take(principal: string, isUrgent?: () => boolean): Cancel | undefined;
}

/**
 * Decides about calls before anything is spent on them. The decision falls in the HTTP layer, where 429 can still be
 * said, and holds for the call itself, which a 2025 client may outlive by hanging up.
 */
export function createCallSeats({
  places,
  urgent: kept,
  strangers,
  rate,
}: {
  readonly places: Places;
  readonly urgent: Places;
  readonly strangers: Places;
  readonly rate: CallRate;
}): CallSeats {
  return {
    reserve({ principal, isStranger = false, calls, urgent = none, req }) {
      if (calls === 0) return NO_SEATS;
      let urgentLeft: number | undefined;
      function takeKept(): Cancel | undefined {
        urgentLeft ??= urgent();
        return urgentLeft-- > 0 ? kept.take(principal) : undefined;
      }
      // Loopback callers are limited in concurrency only.
      const remote = isRemote(req.socket);
      const taken: Cancel[] = [];
      for (let i = 0; i < calls; i++) {
        const wait = remote ? rate.spend(principal) : 0;
        const free = wait > 0 ? undefined : (isStranger ? strangers : places).take(principal);
        const place = free ?? takeKept();
        if (place === undefined) {
          giveBack(taken);
          return { retryAfter: Math.max(1, wait) };
        }
        taken.push(place);
      }
      return {
        claim: () => taken.pop(),
        giveBackWith: (res) => void res.once("close", () => giveBack(taken)),
      };
    },
    take: (principal, isUrgent) => places.take(principal) ?? (isUrgent?.() === true ? kept.take(principal) : undefined),
  };
}

const none = (): number => 0;
const NO_SEATS: Seats = { claim: () => undefined, giveBackWith() {} };

function giveBack(taken: Cancel[]): void {
  for (const release of taken.splice(0)) release();
}

/** How many tool calls a body asks for, or of those for which `isSo` holds. */
export function callsIn(body: unknown, isSo: (call: { readonly params?: unknown }) => boolean = () => true): number {
  if (Array.isArray(body)) return body.filter((each) => isCall(each) && isSo(each)).length;
  return isCall(body) && isSo(body) ? 1 : 0;
}
function isCall(message: unknown): message is { readonly method: string; readonly params?: unknown } {
  return typeof message === "object" && message !== null && "method" in message && message.method === "tools/call";
}
