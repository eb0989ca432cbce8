import type { RequestResult } from "../traces/request-result.ts";
import type { WatchedRequest } from "../traces/watched-request.ts";
import type { Metric } from "./metrics.ts";

/** JSON-RPC requests by what they were and how they ended. */
export interface RequestCounter {
  count(request: WatchedRequest, result: RequestResult): void;
  metrics(): readonly Metric[];
}

/** Kinds of requests told apart. Beyond them tools are counted together. */
const MOST_KINDS = 2_000;
const OTHER = "other";

export function createRequestCounter(mostKinds = MOST_KINDS): RequestCounter {
  interface Kind {
    readonly request: WatchedRequest;
    readonly result: RequestResult;
    count: number;
  }
  const kinds = new Map<string, Kind>();

  function kindOf(request: WatchedRequest, result: RequestResult): Kind {
    const key = keyOf(request, result);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size >= mostKinds && request.tool !== undefined && request.tool !== OTHER)
      return kindOf({ ...request, tool: OTHER }, result);
    const kind = { request, result, count: 0 };
    kinds.set(key, kind);
    return kind;
  }

  return {
    count: (request, result) => void kindOf(request, result).count++,
    metrics: () =>
      [...kinds.values()].map((kind): Metric => {
        const { method, tool, era, transport, role, hot } = kind.request;
        return {
          name: "steading_mcp_requests_total",
          help: "JSON-RPC requests by what they were and how they ended.",
          type: "counter",
          labels: {
            method,
            ...(tool === undefined ? {} : { tool }),
            era,
            transport,
            role,
            hot: String(hot),
            result: kind.result,
          },
          read: () => kind.count,
        };
      }),
  };
}

function keyOf({ method, tool, era, transport, role, hot }: WatchedRequest, result: RequestResult): string {
  return `${method} ${tool ?? ""} ${era} ${transport} ${role} ${hot ? "h" : ""} ${result}`;
}
