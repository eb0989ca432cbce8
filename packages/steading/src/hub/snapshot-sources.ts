import { SteadingError, type Caller, type Captured, type Part, type Snapshots } from "@steading/kernel";
import type { Graph, GraphView } from "@steading/subjects";
import { GRAPH } from "../tools/snapshot-tools.ts";

/** Everything of which a moment can be kept: the graph, and each part that keeps something of its own beside it. */
export function captureSources(graph: Graph, parts: readonly Part[]): ReadonlyMap<string, () => Captured> {
  const sources = new Map<string, () => Captured>();
  for (const part of parts) {
    const capture = part.capture?.bind(part);
    if (capture) sources.set(part.name, capture);
  }
  return sources.set(GRAPH, () => {
    const view = graph.capture();
    return { view, bytes: () => view.bytes(), release: () => view.release() };
  });
}

/** Where `snapshot_id` of the subject tools is looked up. */
export function graphSnapshots(snapshots: Snapshots): { open(id: string, caller: Caller): GraphView | undefined } {
  return {
    open(id, caller) {
      try {
        return snapshots.read(id, caller, GRAPH).view as GraphView; // what `captureSources` put there
      } catch (error) {
        if (error instanceof SteadingError && error.code === "SNAPSHOT_NOT_FOUND") return undefined;
        throw error;
      }
    },
  };
}
