import type { Log } from "@steading/kernel";
import type { VerifiedTokens } from "../auth/verified-tokens.ts";
import type { KeptResults } from "../calls/kept-results.ts";
import type { Sessions } from "../eras/sessions.ts";
import type { SseSessions } from "../eras/sse.ts";
import type { HotPath } from "../hot/hot-path.ts";
import type { CallRate } from "../limits/call-rate.ts";
import type { Places } from "../limits/places.ts";
import type { UnfinishedBodies } from "../http/unfinished-bodies.ts";
import type { ListenRouter } from "../listen/listen-router.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { createMetrics, type Metric, type Metrics } from "./metrics.ts";

/** What the shell counts. Each bound has its fill and what it turned away. */
export function createShellMetrics(parts: {
  readonly sessions: Sessions;
  readonly sseSessions: SseSessions;
  readonly listen: ListenRouter;
  readonly hot: HotPath | undefined;
  readonly tasks: TaskStore;
  readonly streamPlaces: Places;
  readonly callPlaces: Places;
  readonly urgentPlaces: Places;
  readonly strangers: Places;
  readonly bodies: UnfinishedBodies;
  readonly verified: VerifiedTokens;
  readonly kept: KeptResults;
  readonly rate: CallRate;
  readonly log: Log;
  more?(): readonly Metric[];
}): Metrics {
  const metrics = createMetrics({ log: parts.log, ...(parts.more === undefined ? {} : { more: parts.more }) });
  const { sessions, sseSessions, listen, hot, tasks, streamPlaces, callPlaces, verified, kept, rate } = parts;
  const { urgentPlaces, strangers, bodies } = parts;
  function add(type: Metric["type"], name: string, help: string, read: () => number, labels?: Metric["labels"]): void {
    metrics.add({ name: `steading_mcp_${name}`, help, type, read, ...(labels === undefined ? {} : { labels }) });
  }
  const connections = "Open connections that outlive a request.";
  add("gauge", "connections", connections, () => sessions.size, { transport: "http" });
  add("gauge", "connections", connections, () => sseSessions.size, { transport: "http+sse" });
  add("gauge", "connections", connections, () => listen.size, { transport: "listen" });
  add("counter", "sse_opened_total", "Streams of the deprecated HTTP+SSE transport.", () => sseSessions.opened, {
    transport: "http+sse",
  });
  add("counter", "sessions_evicted_total", "2025 sessions ended because nobody used them.", () => sessions.evicted);
  const gaveWay = "2025 sessions ended to make room for another.";
  add("counter", "sessions_gave_way_total", gaveWay, () => sessions.gaveWay, { transport: "http" });
  add("counter", "sessions_gave_way_total", gaveWay, () => sseSessions.gaveWay, { transport: "http+sse" });
  const cut = "Streams cut because their reader stalled.";
  add("counter", "streams_cut_total", cut, () => sessions.cut, { transport: "http" });
  add("counter", "streams_cut_total", cut, () => sseSessions.cut, { transport: "http+sse" });
  add("counter", "streams_cut_total", cut, () => listen.cut, { transport: "listen" });
  add("gauge", "streams", "Listen, GET and SSE streams.", () => streamPlaces.taken);
  add(
    "counter",
    "streams_refused_total",
    "Streams turned away because there were too many.",
    () => streamPlaces.refused,
  );
  add("gauge", "calls", "Calls running or about to.", () => callPlaces.taken);
  add(
    "counter",
    "calls_refused_total",
    "Calls that found no seat because there were too many; urgent ones may have had one of theirs.",
    () => callPlaces.refused,
  );
  add("gauge", "urgent_calls", "Calls running on the seats kept for what makes things safe.", () => urgentPlaces.taken);
  add("counter", "urgent_calls_refused_total", "Such calls turned away for their number.", () => urgentPlaces.refused);
  add("gauge", "stranger_calls", "Calls running of callers without a credential.", () => strangers.taken);
  add("counter", "stranger_calls_refused_total", "Such calls turned away for their number.", () => strangers.refused);
  metrics.add({
    name: "steading_http_unfinished_bodies",
    help: "Bodies of requests on their way.",
    type: "gauge",
    read: () => bodies.size,
  });
  add("counter", "hot_path_total", "Requests answered on the hot path.", () => hot?.served ?? 0);
  add("gauge", "tasks", "Tasks kept.", () => tasks.size);
  add("counter", "tasks_unwritten_total", "Steps of tasks that the ledger did not take.", () => tasks.unwritten);
  add("gauge", "verified_tokens", "Tokens remembered as verified.", () => verified.size);
  add(
    "counter",
    "verified_tokens_evicted_total",
    "Verified tokens forgotten early for lack of room.",
    () => verified.evicted,
  );
  add(
    "counter",
    "calls_too_fast_total",
    "Calls turned away because the caller made them too fast.",
    () => rate.refused,
  );
  add("counter", "kept_results_evicted_total", "Kept results let go early for lack of room.", () => kept.evicted);
  add("gauge", "kept_result_bytes", "Results kept because they were too large for an answer.", () => kept.bytes);
  return metrics;
}
