import type { Part, Snapshots, WorkingDispatcher } from "@steading/kernel";
import { counterMetrics, type CounterMetrics, type Metric } from "@steading/server";
import type { Graph } from "@steading/subjects";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Core } from "./open-core.ts";
import type { HistoryRecorder } from "./record-history.ts";

export interface HubMetricsDeps {
  readonly core: Pick<Core, "store" | "journal" | "arming" | "accounts" | "door" | "approvals">;
  readonly graph: Pick<Graph, "sources">;
  readonly dispatcher: WorkingDispatcher;
  readonly snapshots: Snapshots;
  readonly recorder: HistoryRecorder;
  readonly parts: readonly Part[];
  readonly telemetry: Telemetry | undefined;
}

/** Everything that the hub counts beside its shell. Names come from the counters; no value of the place is among them. */
export function createHubMetrics(deps: HubMetricsDeps): () => readonly Metric[] {
  const { core, graph, dispatcher, snapshots, recorder, parts, telemetry } = deps;
  const { store, journal, arming, accounts, door, approvals } = core;
  const groups: readonly CounterMetrics[] = [
    {
      prefix: "steading_door",
      help: "What the door did.",
      gauges: ["lanes.lanes", "lanes.waiting"],
      read: () => door.counters,
    },
    {
      prefix: "steading_dispatcher",
      help: "Calls of tools, whichever way they came.",
      gauges: ["running"],
      read: () => dispatcher.counters,
    },
    { prefix: "steading_journal", help: "Records of the three streams.", read: () => journal.counters },
    { prefix: "steading_ledger", help: "The store of the hub's state.", read: () => store.counters().ledger },
    { prefix: "steading_history", help: "The store of readings.", read: () => store.counters().history },
    { prefix: "steading_recorder", help: "Readings on their way into the history.", read: () => recorder.counters },
    {
      prefix: "steading_accounts",
      help: "Logins and tokens.",
      gauges: ["throttled"],
      read: () => accounts.counters,
    },
    {
      prefix: "steading_approvals",
      help: "Actions that wait for a person.",
      gauges: ["pending"],
      read: () => ({ pending: approvals.pending().length }),
    },
    {
      prefix: "steading_snapshots",
      help: "Moments of the graph that are kept.",
      gauges: ["held", "bytes"],
      read: () => snapshots.counters,
    },
    {
      prefix: "steading",
      help: "The hub as a whole.",
      gauges: ["sources", "armed"],
      read: () => ({ sources: graph.sources.size, armed: arming.held() === undefined ? 1 : 0 }),
    },
    ...(telemetry
      ? [{ prefix: "steading_spans", help: "Spans for the collector.", read: () => telemetry.counters }]
      : []),
    ...parts.filter(isCounting).map((part) => ({
      prefix: `steading_${part.name}`,
      help: `Counters of the part ${part.name}.`,
      gauges: ["devices", "bus.waiting"],
      read: () => part.counters(),
    })),
  ];
  return () => groups.flatMap(counterMetrics);
}

/** A part that counts says so by having this; the server needs to know no more of it. */
interface CountingPart extends Part {
  counters(): object;
}

function isCounting(part: Part): part is CountingPart {
  return "counters" in part && typeof part.counters === "function";
}
