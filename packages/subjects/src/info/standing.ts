import type { Quality } from "./quality.ts";

/** A source, as far as its values' quality depends on it. */
export interface Owner {
  readonly name: string;
  /** Its values are kept up to date at this moment. */
  readonly isSynchronized: boolean;
}

/**
 * Three numbers per slot in one plain array of doubles: changed at, received at, and owner with quality. An object per
 * property would be six times the size.
 */
const NUMBERS_PER_SLOT = 3;
const CHANGED = 0;
const RECEIVED = 1;
const CODE = 2;

const QUALITIES: readonly Quality[] = ["unknown", "good", "stale", "bad"];
const QUALITY_CODES = new Map(QUALITIES.map((quality, code) => [quality, code]));

/** -1: never. Not zero, which is a time. */
const NEVER = -1;

export function emptyStanding(slots: number): number[] {
  // 0.5 first makes it an array of doubles from the start.
  const standing: number[] = [0.5];
  for (let i = 0; i < slots; i++) clearStanding(standing, i);
  standing.length = slots * NUMBERS_PER_SLOT;
  return standing.slice(); // a copy has no room to spare, which would be a third of it
}

export function clearStanding(standing: number[], slot: number): void {
  const at = slot * NUMBERS_PER_SLOT;
  while (standing.length < at + NUMBERS_PER_SLOT) standing.push(NEVER);
  standing[at + CHANGED] = NEVER;
  standing[at + RECEIVED] = NEVER;
  standing[at + CODE] = 0;
}

export function setTimes(standing: number[], slot: number, changedAt: number, receivedAt: number): void {
  const at = slot * NUMBERS_PER_SLOT;
  standing[at + CHANGED] = changedAt;
  standing[at + RECEIVED] = receivedAt;
}

export function setReceived(standing: number[], slot: number, receivedAt: number): void {
  standing[slot * NUMBERS_PER_SLOT + RECEIVED] = receivedAt;
}

export function setOwner(standing: number[], slot: number, owner: number): void {
  const at = slot * NUMBERS_PER_SLOT + CODE;
  standing[at] = owner * QUALITIES.length + ((standing[at] ?? 0) % QUALITIES.length);
}

export function setQuality(standing: number[], slot: number, quality: Quality): void {
  const at = slot * NUMBERS_PER_SLOT + CODE;
  const code = standing[at] ?? 0;
  standing[at] = code - (code % QUALITIES.length) + (QUALITY_CODES.get(quality) ?? 0);
}

/** 0: nobody owns it. */
export function ownerIndex(standing: readonly number[] | null, slot: number): number {
  if (standing === null) return 0;
  return Math.floor((standing[slot * NUMBERS_PER_SLOT + CODE] ?? 0) / QUALITIES.length);
}

/** As it came in; age and the state of the source are looked at when it is read. */
export function storedQuality(standing: readonly number[], slot: number): Quality {
  return QUALITIES[(standing[slot * NUMBERS_PER_SLOT + CODE] ?? 0) % QUALITIES.length] ?? "unknown";
}

export function changedAt(standing: readonly number[] | null, slot: number): number | undefined {
  return time(standing?.[slot * NUMBERS_PER_SLOT + CHANGED]);
}

export function receivedAt(standing: readonly number[] | null, slot: number): number | undefined {
  return time(standing?.[slot * NUMBERS_PER_SLOT + RECEIVED]);
}

function time(stored: number | undefined): number | undefined {
  return stored === undefined || stored === NEVER ? undefined : stored;
}
