import { QUALITIES, type Reading } from "../history.ts";
import type { CountedHistory } from "./history-counters.ts";
import type { HistoryLimits } from "./history-limits.ts";
import { hourOf } from "./level.ts";

/** A reading this far ahead of our clock is a mistake of some clock; stored, it would stay the newest for ever. */
const AHEAD = 24 * 3_600_000;
const PATH_LENGTH = 1_024;

/** Says whether a reading may be stored, and counts why not. */
export function createAdmission({ limits, counters }: { limits: HistoryLimits; counters: CountedHistory }) {
  return function admits({ path, value, at, quality }: Reading, now: number): boolean {
    if (
      !isSound(value) ||
      !isName(path) ||
      !QUALITIES.includes(quality) ||
      !Number.isSafeInteger(Math.trunc(at)) ||
      at < 0
    ) {
      counters.droppedInvalid++;
      return false;
    }
    // The minute that it belongs to may have lost its other readings; adding it up again would forget them.
    if (at < hourOf(now - limits.keepRaw)) {
      counters.droppedTooOld++;
      return false;
    }
    if (at > now + AHEAD) {
      counters.droppedAhead++;
      return false;
    }
    return true;
  };

  function isSound(value: Reading["value"]): boolean {
    if (typeof value === "number") return Number.isFinite(value);
    if (typeof value === "string") return value.length <= limits.textLength;
    if (typeof value === "boolean") return true;
    const json = JSON.stringify(value);
    return json !== undefined && json.length <= limits.textLength;
  }
}

function isName(path: unknown): boolean {
  return typeof path === "string" && path.length > 0 && path.length <= PATH_LENGTH;
}
