/** The levels that readings are kept at, finest first. */
export const LEVELS = ["raw", "minute", "hour"] as const;
export type Level = (typeof LEVELS)[number];

export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** Width of one row of a level; a reading has none. */
export const WIDTHS: Readonly<Record<Level, number>> = { raw: 1, minute: MINUTE, hour: HOUR };

export const minuteOf = (at: number): number => at - (at % MINUTE);
export const hourOf = (at: number): number => at - (at % HOUR);
