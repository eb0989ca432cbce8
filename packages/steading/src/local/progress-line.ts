import type { World } from "../world.ts";

export interface ProgressLine {
  show(progress: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  }): void;
  /** Leaves the line empty, for what is printed next. */
  clear(): void;
}

const LONGEST = 60;
/** Back to the beginning of the line, and forget what stands there. */
const FRESH = "\r\u001b[K";

/** How far a tool is, on one line that is written over. Undefined where nobody watches: a file needs no progress. */
export function createProgressLine(stderr: World["stderr"]): ProgressLine | undefined {
  if (stderr.isTTY !== true) return undefined;
  let shown = false;
  return {
    show({ progress, total, message = "" }) {
      const share = total === undefined || total <= 0 ? `${progress}` : `${progress} of ${total}`;
      // A tool's words may come from anywhere; a terminal obeys what it reads.
      const words = message.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "").slice(0, LONGEST);
      stderr.write(`${FRESH}${share} ${words}`);
      shown = true;
    },
    clear() {
      if (shown) stderr.write(FRESH);
      shown = false;
    },
  };
}
