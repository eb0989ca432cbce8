import { isJsonObject, type Json, type Log } from "@steading/kernel";
import type { History, Reading } from "@steading/store";
import { joinPath, printStep, type Change, type Graph, type PathProvider, type PropertyInfo } from "@steading/subjects";

/** Keeps every value of the properties marked `history`. Readings go out in the batches in which the graph tells them. */
export function recordHistory({
  graph,
  history,
  provider,
  log,
}: {
  readonly graph: Graph;
  readonly history: History;
  /** Names the series as the tools print them, so that a path read anywhere finds its past. */
  readonly provider: PathProvider;
  readonly log: Log;
}): { stop(): Promise<void> } {
  const stream = graph.changes({
    filter: ({ subject, property }) => subject.$info.property(property)?.facets.history === true,
  });

  async function follow(): Promise<void> {
    for await (const changes of stream) {
      const readings = changes.flatMap((change) => readingOf(change, provider) ?? []);
      if (readings.length === 0) continue;
      const { dropped } = await history.append(readings);
      if (dropped > 0) log.warn("Readings were not kept.", { dropped });
    }
  }
  const following = follow().catch((fault: unknown) => log.error("History is no longer recorded.", fault));
  return {
    async stop() {
      stream.close();
      await following;
    },
  };
}

function readingOf({ subject, property, value, changedAt }: Change, provider: PathProvider): Reading | undefined {
  const info = subject.$info.property(property);
  const path = info && seriesPath(info, provider);
  if (!info || path === undefined || !isJson(value)) return undefined;
  const quality = info.quality === "error" ? "bad" : info.quality;
  return { path, value, at: changedAt, quality };
}

/** The property's printed path; undefined while its subject hangs nowhere. */
function seriesPath(info: PropertyInfo, provider: PathProvider): string | undefined {
  const parent = info.subject.path;
  return parent === null ? undefined : joinPath(parent, printStep(provider.segment(info) ?? info.name));
}

function isJson(value: unknown): value is Json {
  return (
    value === null ||
    ["number", "string", "boolean"].includes(typeof value) ||
    Array.isArray(value) ||
    isJsonObject(value)
  );
}
