import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Tracer,
} from "@opentelemetry/api";
import type { TraceContext } from "./trace-context.ts";

/** One span under way. */
export interface OpenSpan {
  /** What is done inside the span is told this as its own context. */
  readonly trace: TraceContext;
  end(result: string, failed: boolean): void;
}

/** Spans whose parents come with the request, so that no global state has to carry them. */
export interface Spans {
  begin(span: {
    readonly name: string;
    readonly trace: TraceContext;
    /** Names and ids, never arguments or tokens. */
    readonly attributes: Attributes;
  }): OpenSpan;
}

export function createSpans(tracer: Tracer): Spans {
  return {
    begin({ name, trace: given, attributes }) {
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(given));
      const { traceId, spanId, traceFlags, traceState } = span.spanContext();
      const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
      const tracestate = traceState?.serialize() ?? given.tracestate;
      return {
        trace: {
          traceparent,
          ...(tracestate === undefined || tracestate === "" ? {} : { tracestate }),
          ...(given.baggage === undefined ? {} : { baggage: given.baggage }),
        },
        end(result, failed) {
          span.setAttribute("steading.result", result);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

function parentOf({ traceparent, tracestate }: TraceContext): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  });
}
