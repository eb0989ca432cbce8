import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { TakenBatch } from "./batch-taker.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { ReserveFile } from "./reserve-file.ts";
import type { CommitsMessage, Counters, Ops } from "./writer-messages.ts";

/** Where commits go while the database has no room. Runs on the writer thread. */
export interface Spill {
  /** The database is full and what is written goes to the reserve. */
  readonly on: boolean;
  begin(): void;
  write(batch: TakenBatch): Counters;
  /** Brings everything back into the database; throws what the driver throws when there is still no room. */
  drain(): Counters;
  /** The last thing that is safe, wherever it is. */
  counters(): Counters;
  /** What lies in the reserve. */
  reserved(): readonly Ops[];
}

/** Going back earlier would only mean to be full again with the next commit. */
const ENOUGH = 8 * 1024 * 1024;

export function createSpill({
  file,
  reserve,
  writer,
}: {
  file: string;
  reserve: ReserveFile;
  writer: BatchWriter;
}): Spill {
  let frames = pending(reserve.frames(), writer.counters());
  let on = frames.length > 0;
  if (!on) forgetStale();

  /** Frames that are in the database already were brought there by a process that was killed before it could forget them. */
  function forgetStale(): void {
    if (reserve.frames().length > 0) reserve.reset();
  }

  const counters = (): Counters => frames.at(-1)?.counters ?? writer.counters();

  return {
    get on() {
      return on;
    },
    begin() {
      on = true;
    },
    write({ messages, more }) {
      const all: CommitsMessage[] = [...messages];
      for (let next = more(); next; next = more()) all.push(next);
      const last = all.at(-1);
      if (!last) return counters();
      const frame = { base: counters().revision, ops: all.flatMap(({ ops }) => ops), counters: last.counters };
      reserve.append(frame);
      frames.push(frame);
      return last.counters;
    },
    drain() {
      if (freeBytes(file) < ENOUGH) throw Object.assign(new Error("still full"), { code: "ENOSPC" });
      writer.replay(frames);
      reserve.reset();
      frames = [];
      on = false;
      return writer.counters();
    },
    counters,
    reserved: () => frames.map(({ ops }) => ops),
  };
}

type Frames = ReturnType<ReserveFile["frames"]>;

/** Each must build on the one before, the first on the database. */
function pending(frames: Frames, stored: Counters): Frames {
  let { revision } = stored;
  return frames.filter(({ base, counters }) => {
    if (base !== revision) return false;
    ({ revision } = counters);
    return true;
  });
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}
