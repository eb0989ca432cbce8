import type { Bucket } from "../history.ts";
import { standsFor, type Span } from "./span.ts";

export interface FillerOptions {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly hold: number;
  /** The present: nothing stands beyond it. */
  readonly until: number;
}

interface Filling {
  n: number;
  bad: number;
  sum: number;
  min: number | null;
  max: number | null;
  first: number | null;
  last: number | null;
  integral: number;
  covered: number;
}

/** Spreads stretches of readings, given in time order, over buckets of equal width. */
export interface BucketFiller {
  /** What stood when the range began: the last reading before it. */
  carryIn(span: Pick<Span, "last" | "lastAt" | "held">): void;
  /** A stretch that lies within one bucket. */
  add(span: Span): void;
  finish(): Bucket[];
}

export function createBucketFiller({ from, to, width, hold, until }: FillerOptions): BucketFiller {
  const fillings = Array.from({ length: Math.max(0, Math.ceil((to - from) / width)) }, emptyFilling);
  let previous: Pick<Span, "last" | "lastAt" | "held"> | undefined;

  /** The value stands over a stretch that may cross buckets. */
  function stand(value: number, start: number, end: number): void {
    for (let at = Math.max(start, from); at < end;) {
      const index = Math.floor((at - from) / width);
      const filling = fillings[index];
      if (!filling) return;
      const stop = Math.min(end, from + (index + 1) * width);
      filling.covered += stop - at;
      filling.integral += value * (stop - at);
      at = stop;
    }
  }

  function standUntil(end: number): void {
    if (!previous || previous.last === null) return;
    stand(previous.last, previous.lastAt, previous.lastAt + standsFor(previous, end, hold));
  }

  return {
    carryIn(span) {
      previous = span;
    },
    add(span) {
      standUntil(span.firstAt);
      previous = span;
      const filling = fillings[Math.floor((span.firstAt - from) / width)];
      if (filling) addSpan(filling, span);
    },
    finish() {
      standUntil(Math.min(to, until));
      return fillings.map((filling, i) => {
        const at = from + i * width;
        return toBucket(filling, at, Math.min(at + width, to, Math.max(until, at + 1)) - at);
      });
    },
  };
}

function emptyFilling(): Filling {
  return { n: 0, bad: 0, sum: 0, min: null, max: null, first: null, last: null, integral: 0, covered: 0 };
}

function addSpan(filling: Filling, span: Span): void {
  filling.n += span.n;
  filling.bad += span.bad;
  filling.sum += span.sum;
  filling.integral += span.integral;
  filling.covered += span.covered;
  if (span.min !== null) filling.min = Math.min(filling.min ?? span.min, span.min);
  if (span.max !== null) filling.max = Math.max(filling.max ?? span.max, span.max);
  filling.first ??= span.first;
  filling.last = span.last ?? filling.last;
}

function toBucket(filling: Filling, at: number, width: number): Bucket {
  const { n, bad, sum, min, max, first, last, integral, covered } = filling;
  return {
    at,
    count: n,
    bad,
    min: min ?? undefined,
    max: max ?? undefined,
    mean: n > 0 ? sum / n : undefined,
    timeMean: covered > 0 ? integral / covered : undefined,
    first: first ?? undefined,
    last: last ?? undefined,
    coverage: Math.min(1, covered / width),
  };
}
