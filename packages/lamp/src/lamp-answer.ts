import type { Line } from "./line-reader.ts";
import type { LampRequest } from "./lamp-request.ts";

/** An answer that fits its request. */
export type LampAnswer =
  | { readonly kind: "accepted" }
  | { readonly kind: "state"; readonly on: boolean }
  | { readonly kind: "count"; readonly switches: number }
  /** `E`: the lamp did not understand, and nothing changed. */
  | { readonly kind: "refused" };

export type Decoded =
  | { readonly ok: true; readonly answer: LampAnswer }
  /** Not an answer to this request. The order of lines can no longer be trusted after it. */
  | { readonly ok: false; readonly problem: "overlong line" | "not an answer" };

/** Reads one line as the answer to one request: `1` is a state after `?` and garbage after a switch command. */
export function decodeAnswer(request: LampRequest, line: Line): Decoded {
  if (line.kind === "overlong") return { ok: false, problem: "overlong line" };
  if (line.text === "E") return { ok: true, answer: { kind: "refused" } };
  const answer = decodeFor(request, line.text);
  return answer ? { ok: true, answer } : { ok: false, problem: "not an answer" };
}

function decodeFor(request: LampRequest, text: string): LampAnswer | undefined {
  switch (request) {
    case "on":
    case "off":
    case "reset-counter":
    case "factory-reset":
      return text === "A" ? { kind: "accepted" } : undefined;
    case "read":
      return text === "1" || text === "0" ? { kind: "state", on: text === "1" } : undefined;
    case "count": {
      const switches = /^N(\d{1,15})$/.exec(text)?.[1];
      return switches === undefined ? undefined : { kind: "count", switches: Number(switches) };
    }
  }
}
