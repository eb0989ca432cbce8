import { trace, TraceFlags, type Attributes, type Span, type SpanContext, type Tracer } from "@opentelemetry/api";

export interface TrialSpan {
  readonly name: string;
  readonly kind: number;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly attributes: Attributes;
  failed: boolean;
  ended: boolean;
}

/** A tracer that keeps what it is told, and numbers its spans. */
export function createTrialTracer(): { readonly tracer: Tracer; readonly spans: TrialSpan[] } {
  const spans: TrialSpan[] = [];

  const tracer = {
    startSpan(
      name: string,
      options: { kind: number; attributes: Attributes },
      context: Parameters<typeof trace.getSpanContext>[0],
    ): Span {
      const parent = trace.getSpanContext(context);
      const number = String(spans.length + 1);
      const record: TrialSpan = {
        name,
        kind: options.kind,
        context: {
          traceId: parent?.traceId ?? number.padStart(32, "a"),
          spanId: number.padStart(16, "b"),
          traceFlags: TraceFlags.SAMPLED,
          ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
        },
        parent,
        attributes: { ...options.attributes },
        failed: false,
        ended: false,
      };
      spans.push(record);
      const span: Partial<Span> = {
        spanContext: () => record.context,
        setAttribute: (key, value) => ((record.attributes[key] = value), span as Span),
        setStatus: () => ((record.failed = true), span as Span),
        end: () => void (record.ended = true),
      };
      return span as Span; // all that is asked of a span here
    },
  };
  return { tracer: tracer as unknown as Tracer, spans };
}
