/**
 * What a stretch of readings adds up to, such that two stretches add up to a third. A good value stands until the next
 * reading of any quality, or until its series' hold is over; `integral` and `covered` are over the time between the
 * first and the last reading of the stretch, and joining adds the time between the two.
 */
export interface Span {
  /** Good readings with a number. */
  n: number;
  /** Readings that were not good. */
  bad: number;
  sum: number;
  min: number | null;
  max: number | null;
  /** Of the good readings. */
  first: number | null;
  last: number | null;
  firstAt: number;
  lastAt: number;
  /** 1 when the last reading was good: its value stands on. */
  held: number;
  /** Value times milliseconds. */
  integral: number;
  covered: number;
}

/** `value` is undefined for a good reading that is no number: it counts for nothing and ends what stood before it. */
export function spanOfReading(at: number, value: number | undefined, good: boolean): Span {
  const number = good && value !== undefined ? value : null;
  return {
    n: number === null ? 0 : 1,
    bad: good ? 0 : 1,
    sum: number ?? 0,
    min: number,
    max: number,
    first: number,
    last: number,
    firstAt: at,
    lastAt: at,
    held: number === null ? 0 : 1,
    integral: 0,
    covered: 0,
  };
}

/** How long the end of a stretch stands until `until`. */
export function standsFor(span: Pick<Span, "held" | "lastAt">, until: number, hold: number): number {
  return span.held === 1 ? Math.max(0, Math.min(until - span.lastAt, hold)) : 0;
}

/** Adds what follows, in place: this runs for every reading that comes in. */
export function extendSpan(span: Span, next: Span, hold: number): void {
  const stood = standsFor(span, next.firstAt, hold);
  span.integral += stood * (span.last ?? 0) + next.integral;
  span.covered += stood + next.covered;
  span.n += next.n;
  span.bad += next.bad;
  span.sum += next.sum;
  if (next.min !== null && (span.min === null || next.min < span.min)) span.min = next.min;
  if (next.max !== null && (span.max === null || next.max > span.max)) span.max = next.max;
  span.first ??= next.first;
  span.last = next.last ?? span.last;
  span.lastAt = next.lastAt;
  span.held = next.held;
}

export function joinSpans(spans: Iterable<Span>, hold: number): Span | undefined {
  let joined: Span | undefined;
  for (const span of spans) {
    if (joined) extendSpan(joined, span, hold);
    else joined = { ...span };
  }
  return joined;
}
