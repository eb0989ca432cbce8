import type { Metric } from "../metrics/metrics.ts";

/** Why a connection or a request got no further than the edge. */
export const EDGE_REFUSALS = {
  /** Host or Origin. */
  guard: "Host or Origin was not allowed",
  unauthorized: "no credential, or none that stands",
  forbidden: "the credential lacks the scope",
  unverifiable: "the issuer of the token could not be asked",
  media: "the body was not declared as JSON",
  not_json: "the body was not JSON",
  too_large: "the body was too large",
  too_deep: "the body was nested too deeply",
  repeated_name: "a name occurred twice in one object",
  too_many_calls: "the caller had too many calls running, or made them too fast",
  too_many_bodies: "too many bodies were on their way, and this one the longest",
  too_far_ahead: "too many requests were sent ahead of their answers",
  malformed: "what came was no HTTP request, or had too many headers",
  timed_out: "headers or body took too long",
  connections: "too many connections were open",
  connections_of_address: "too many connections from one address were open",
  local_connections: "too many connections to the local socket were open",
} as const;
export type EdgeRefusal = keyof typeof EDGE_REFUSALS;

export interface EdgeCounters {
  count(why: EdgeRefusal): void;
  of(why: EdgeRefusal): number;
  metrics(): readonly Metric[];
}

/** Everything that is turned away before it becomes a call. Labels are our own words, never a client's. */
export function createEdgeCounters(): EdgeCounters {
  const counts = new Map<EdgeRefusal, number>();
  const of = (why: EdgeRefusal): number => counts.get(why) ?? 0;
  const reasons = Object.keys(EDGE_REFUSALS) as EdgeRefusal[]; // they are the table's own
  const metrics = reasons.map((why): Metric => ({
    name: "steading_http_refused_total",
    help: "Connections and requests that were turned away at the edge, by reason.",
    type: "counter",
    labels: { why },
    read: () => of(why),
  }));
  return { count: (why) => void counts.set(why, of(why) + 1), of, metrics: () => metrics };
}
