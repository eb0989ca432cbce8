import { ROOT_CONTEXT, SpanStatusCode, trace, type Context, type SpanContext, type Tracer } from "@opentelemetry/api";
import type { CallResult, WorkingDispatcher } from "@steading/kernel";

/**
 * One span for each call of a tool, whichever way it came, inside the span of its request where there is one. It says who
 * in general, what and how it ended; never with which arguments, nor what was answered.
 */
export function traceDispatcher(dispatcher: WorkingDispatcher, tracer: Tracer): WorkingDispatcher {
  const known = createKnownNames(dispatcher);
  return {
    tools: dispatcher.tools,
    hasToolset: dispatcher.hasToolset,
    onChange: dispatcher.onChange,
    get generation() {
      return dispatcher.generation;
    },
    get counters() {
      return dispatcher.counters;
    },
    async call(request) {
      const { role, transport } = request.caller;
      // A name that is no tool's is the client's own text.
      const tool = known(request.tool) ? request.tool : "unknown";
      const attributes = { "steading.tool": tool, "steading.role": role, "steading.transport": transport };
      const span = tracer.startSpan(`tool ${tool}`, { attributes }, parentOf(request.caller.traceparent));
      // What the tool calls in its turn belongs below this span.
      const caller = { ...request.caller, traceparent: traceparentOf(span.spanContext()) };
      try {
        const result = await dispatcher.call({ ...request, caller });
        const how = resultOf(result);
        span.setAttribute("steading.result", how);
        if (how !== "complete") span.setStatus({ code: SpanStatusCode.ERROR, message: how });
        return result;
      } finally {
        span.end();
      }
    },
  };
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span of the request, or the caller's own; a traceparent that is none begins a trace of its own. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function resultOf(result: CallResult): string {
  return result.kind === "answer" ? "complete" : result.kind === "error" ? result.error.code : result.kind;
}

function createKnownNames(dispatcher: WorkingDispatcher): (name: string) => boolean {
  let generation: number | undefined;
  let names = new Set<string>();
  return (name) => {
    if (generation !== dispatcher.generation) {
      generation = dispatcher.generation;
      names = new Set(dispatcher.tools({ kind: "all" }, "admin").map((tool) => tool.name));
    }
    return names.has(name);
  };
}
