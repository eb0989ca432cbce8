import type { Reading } from "../history.ts";
import type { ReadingColumns } from "./history-messages.ts";
import { toStored } from "./reading-codec.ts";

/** Collects readings in columns until they are sent. Grows by doubling and starts small after each sending. */
export interface ReadingBuffer {
  readonly length: number;
  add(series: number, reading: Reading): void;
  /** The columns, to be handed to the writer; the buffer is empty afterwards. */
  take(): ReadingColumns;
}

const FIRST = 256;

export function createReadingBuffer(): ReadingBuffer {
  let columns = empty(FIRST);
  let texts: string[] = [];
  let length = 0;

  return {
    get length() {
      return length;
    },
    add(series, { value, quality, at }) {
      if (length === columns.series.length) columns = grown(columns);
      const stored = toStored(value, quality);
      columns.series[length] = series;
      columns.at[length] = at;
      columns.flags[length] = stored.flags;
      columns.value[length] = typeof stored.value === "number" ? stored.value : texts.push(stored.value) - 1;
      length++;
    },
    take() {
      const taken = { ...columns, length, texts };
      columns = empty(FIRST);
      texts = [];
      length = 0;
      return taken;
    },
  };
}

function empty(size: number) {
  return {
    series: new Uint32Array(size),
    at: new Float64Array(size),
    value: new Float64Array(size),
    flags: new Uint8Array(size),
  };
}

function grown(columns: ReturnType<typeof empty>): ReturnType<typeof empty> {
  const larger = empty(columns.series.length * 2);
  larger.series.set(columns.series);
  larger.at.set(columns.at);
  larger.value.set(columns.value);
  larger.flags.set(columns.flags);
  return larger;
}
