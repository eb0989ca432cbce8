import { isJsonObject, seconds, type Clock, type Json, type Log } from "@steading/kernel";
import type { History, Reading } from "@steading/store";
import { joinPath, printStep, type Change, type Graph, type PathProvider, type PropertyInfo } from "@steading/subjects";

/** How long a recorder that failed waits before it begins again. */
const PAUSE = seconds(5);

export interface HistoryRecorderCounters {
  /** Readings that the history took. */
  readonly recorded: number;
  /** Readings that the history did not want: no room, too old, no series left. */
  readonly dropped: number;
  /** Readings that went with an append that failed. */
  readonly lost: number;
  readonly failures: number;
}

export interface HistoryRecorder {
  readonly counters: HistoryRecorderCounters;
  /** May be called twice. */
  stop(): Promise<void>;
}

export interface RecordHistoryDeps {
  readonly graph: Pick<Graph, "changes">;
  readonly history: Pick<History, "append">;
  /** Names the series as the tools print them, so that a path read anywhere finds its past. */
  readonly provider: PathProvider;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
  /** Whose readings somebody else keeps already; twice would be once too often. */
  isKept?(subject: Change["subject"]): boolean;
}

/** Keeps every value of the properties marked `history`. Readings go out in the batches in which the graph tells them. */
export function recordHistory({ graph, history, provider, clock, log, isKept }: RecordHistoryDeps): HistoryRecorder {
  const counters = { recorded: 0, dropped: 0, lost: 0, failures: 0 };
  const stopping = new AbortController();
  let failing = false;
  let stream = open();

  function open() {
    return graph.changes({
      filter: ({ subject, property }) =>
        subject.$info.property(property)?.facets.history === true && isKept?.(subject) !== true,
    });
  }

  async function keep(readings: readonly Reading[]): Promise<void> {
    try {
      const { accepted, dropped } = await history.append(readings);
      counters.recorded += accepted;
      counters.dropped += dropped;
      if (dropped > 0) log.warn("Readings were not kept.", { dropped });
    } catch (fault) {
      counters.lost += readings.length;
      throw fault;
    }
    if (failing) log.info("History is recorded again.", { lost: counters.lost });
    failing = false;
  }

  async function followToTheEnd(): Promise<void> {
    try {
      for await (const changes of stream) {
        const readings = changes.flatMap((change) => readingOf(change, provider) ?? []);
        if (readings.length > 0) await keep(readings);
      }
    } finally {
      stream.close();
    }
  }

  /** True when there is nothing more to follow. */
  async function ended(): Promise<boolean> {
    try {
      await followToTheEnd();
      return true;
    } catch (fault) {
      counters.failures++;
      // Once and not for every attempt: a disk that stays away would fill the log as well.
      if (!failing) log.error("Readings could not be recorded; that will be tried again.", fault);
      failing = true;
      return stopping.signal.aborted;
    }
  }

  async function follow(): Promise<void> {
    while (!(await ended())) {
      // Before the pause: what changes meanwhile waits in the stream, which is bounded, and its newest value is kept.
      stream = open();
      await clock.sleep(PAUSE, stopping.signal).catch(() => stream.close());
    }
  }
  const following = follow();

  return {
    counters,
    async stop() {
      stopping.abort();
      stream.close();
      await following;
    },
  };
}

function readingOf(
  { subject, property, value, changedAt, quality }: Change,
  provider: PathProvider,
): Reading | undefined {
  const info = subject.$info.property(property);
  const path = info && seriesPath(info, provider);
  if (!info || path === undefined || !isJson(value)) return undefined;
  return { path, value, at: changedAt, quality: quality === "error" ? "bad" : quality };
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
