import type { Tracer } from "@opentelemetry/api";
import type { RequestCounter } from "../metrics/request-counter.ts";
import { resultOf, resultOfFault, type RequestResult } from "./request-result.ts";
import { createSpans, type Spans } from "./spans.ts";
import type { TraceContext } from "./trace-context.ts";
import type { WatchedRequest } from "./watched-request.ts";

/** Counts every JSON-RPC request and, where tracing is on, gives it a span. */
export interface RequestWatch {
  /** `work` gets the context that belongs to the request: its span's where there is one, else the one that came. */
  during<T>(request: WatchedRequest, trace: TraceContext, work: (trace: TraceContext) => Promise<T>): Promise<T>;
  /** Undefined: tracing is off. */
  readonly spans: Spans | undefined;
}

export function createRequestWatch({
  requests,
  tracer,
}: {
  readonly requests: RequestCounter;
  readonly tracer: Tracer | undefined;
}): RequestWatch {
  const spans = tracer === undefined ? undefined : createSpans(tracer);

  async function counted<T>(request: WatchedRequest, work: () => Promise<T>, end?: (result: RequestResult) => void) {
    try {
      const answer = await work();
      const result = resultOf(answer);
      requests.count(request, result);
      end?.(result);
      return answer;
    } catch (fault) {
      const result = resultOfFault(fault);
      requests.count(request, result);
      end?.(result);
      throw fault;
    }
  }

  function traced<T>(
    open: Spans,
    request: WatchedRequest,
    trace: TraceContext,
    work: (trace: TraceContext) => Promise<T>,
  ): Promise<T> {
    const { method, tool, era, transport, role, hot } = request;
    const span = open.begin({
      name: tool === undefined ? method : `${method} ${tool}`,
      trace,
      attributes: {
        "mcp.method.name": method,
        ...(tool === undefined ? {} : { "gen_ai.tool.name": tool }),
        "steading.era": era,
        "steading.transport": transport,
        "steading.role": role,
        "steading.hot_path": hot,
      },
    });
    return counted(
      request,
      () => work(span.trace),
      (result) => span.end(result, isFailure(result)),
    );
  }

  return {
    spans,
    during: (request, trace, work) =>
      spans === undefined ? counted(request, () => work(trace)) : traced(spans, request, trace, work),
  };
}

function isFailure(result: RequestResult): boolean {
  return result !== "complete" && result !== "input_required" && result !== "task";
}
