import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from "@opentelemetry/api";
import type { CallRequest, CallResult, WorkingDispatcher } from "@steading/kernel";

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
      return tracer.startActiveSpan(`tool ${tool}`, { attributes }, parentOf(request), async (span) => {
        try {
          const result = await dispatcher.call(request);
          const how = resultOf(result);
          span.setAttribute("steading.result", how);
          if (how !== "complete") span.setStatus({ code: SpanStatusCode.ERROR, message: how });
          return result;
        } finally {
          span.end();
        }
      });
    },
  };
}

/** The request's own span, else what the caller sent along; a traceparent that is none begins a trace of its own. */
function parentOf({ caller: { traceparent } }: CallRequest): Context {
  const active = context.active();
  if (trace.getSpan(active) !== undefined || traceparent === undefined) return active;
  return propagation.extract(ROOT_CONTEXT, { traceparent });
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
