import { BAGGAGE_META_KEY, TRACEPARENT_META_KEY, TRACESTATE_META_KEY } from "@modelcontextprotocol/server";
import type { Caller } from "@steading/kernel";

/** W3C trace context as it is handed on: checked, and never interpreted by anybody but a tracer. */
export type TraceContext = Pick<Caller, "traceparent" | "tracestate" | "baggage">;

/** Version ff and ids of nothing but zeros are forbidden by the standard. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** The most that the standard asks anybody to hand on. */
const TRACESTATE_CHARACTERS = 512;
const BAGGAGE_CHARACTERS = 8_192;
/** Members separated by commas, each `key=value` of visible characters. */
const MEMBERS = /^[\x21-\x7E]+=[\x20-\x7E]*(?:,[\x20-\x7E]*)*$/;

const NONE: TraceContext = {};

/**
 * From `_meta`, else from the HTTP headers of the same names. What is malformed counts as absent. The state of a trace
 * is taken from where its parent was found: two halves of two traces would be neither.
 */
export function readTraceContext(
  meta: Readonly<Record<string, unknown>> | undefined,
  header: (name: string) => unknown,
): TraceContext {
  const inMeta = asTraceparent(meta?.[TRACEPARENT_META_KEY]);
  const traceparent = inMeta ?? asTraceparent(header("traceparent"));
  const baggage =
    asMembers(meta?.[BAGGAGE_META_KEY], BAGGAGE_CHARACTERS) ?? asMembers(header("baggage"), BAGGAGE_CHARACTERS);
  if (traceparent === undefined) return baggage === undefined ? NONE : { baggage };
  const state = inMeta === undefined ? header("tracestate") : meta?.[TRACESTATE_META_KEY];
  const tracestate = asMembers(state, TRACESTATE_CHARACTERS);
  return {
    traceparent,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

function asTraceparent(value: unknown): string | undefined {
  return typeof value === "string" && TRACEPARENT.test(value) ? value : undefined;
}

function asMembers(value: unknown, longest: number): string | undefined {
  return typeof value === "string" && value.length <= longest && MEMBERS.test(value) ? value : undefined;
}
