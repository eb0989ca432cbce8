import { cancelled, throwIfCancelled } from "./abortable.ts";
import type { Toward } from "./effect.ts";
import { kernelError } from "./kernel-errors.ts";

/** What wants to enter: something that sends, or a second look at what was sent earlier. */
export type LaneKind = Toward | "look";

/** Leave to work on a target, until `leave` is called. */
export interface Pass {
  /**
   * Stop looking, something must not be held up: aborts for a live effect when one towards safe waits behind it, for a
   * second look when anything that sends does.
   */
  readonly cut: AbortSignal;
  leave(): void;
}

export interface LaneCounters {
  readonly entered: number;
  readonly refused: number;
  /** Live effects and second looks that were told to stop looking. */
  readonly cut: number;
  /** Safe effects that went before waiting live ones. */
  readonly overtaken: number;
  /** Live effects that were taken back while they waited, because something later made the same thing safe. */
  readonly superseded: number;
  readonly lanes: number;
  readonly waiting: number;
}

export interface Lanes {
  /**
   * Resolves when it is this one's turn. Rejects with LANE_BUSY when too many live ones wait, with SUPERSEDED when a later
   * one towards safe has one of its things, and when the signal aborts.
   */
  enter(target: string, kind: LaneKind, options?: EnterOptions): Promise<Pass>;
  readonly counters: LaneCounters;
}

export interface EnterOptions {
  readonly signal?: AbortSignal | undefined;
  /** What of the target it is about. */
  readonly things?: readonly string[];
}

interface Waiting {
  readonly things: readonly string[];
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}
interface Lane {
  running: { readonly kind: LaneKind; readonly cut: AbortController };
  readonly safe: Waiting[];
  readonly live: Waiting[];
  readonly look: Waiting[];
}

/**
 * One at a time per physical target. Towards safe goes before everything live that waits, and looks go last: one that
 * began before a waiting effect would have to stop at once. How many safe ones may wait is bounded by who may call at
 * all, since nothing here may refuse them; looks are bounded by the actions in doubt.
 */
export function createLanes({ liveWaiting = 64 }: { readonly liveWaiting?: number } = {}): Lanes {
  /** Only busy targets have one. */
  const lanes = new Map<string, Lane>();
  const counters = { entered: 0, refused: 0, cut: 0, overtaken: 0, superseded: 0 };

  function pass(target: string, lane: Lane): Pass {
    counters.entered += 1;
    const { running } = lane;
    let left = false;
    return {
      cut: running.cut.signal,
      leave() {
        if (left) return;
        left = true;
        const next = lane.safe.shift() ?? lane.live.shift() ?? lane.look.shift();
        if (next) next.begin();
        else lanes.delete(target);
      },
    };
  }

  function wait(target: string, lane: Lane, kind: LaneKind, { signal, things = [] }: EnterOptions): Promise<Pass> {
    const queue = lane[kind];
    return new Promise<Pass>((resolve, reject) => {
      const entry: Waiting = {
        things,
        begin() {
          signal?.removeEventListener("abort", onAbort);
          lane.running = { kind, cut: new AbortController() };
          resolve(pass(target, lane));
        },
        refuse(error) {
          signal?.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      function onAbort(): void {
        queue.splice(queue.indexOf(entry), 1);
        if (signal) reject(cancelled(signal, SENTENCE[kind]));
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      queue.push(entry);
    });
  }

  /** What was asked before must not come after: an ON that waits would undo the OFF that overtakes it. */
  function takeBack({ live }: Lane, things: readonly string[]): void {
    const gone = live.filter((each) => each.things.some((thing) => things.includes(thing)));
    for (const entry of gone) {
      live.splice(live.indexOf(entry), 1);
      counters.superseded += 1;
      entry.refuse(
        kernelError("SUPERSEDED", "Something later made this safe before it was sent; nothing was sent.", {
          details: { sent: false },
        }),
      );
    }
  }

  function cutShort({ running }: Lane, by: LaneKind): void {
    const givesWay = running.kind === "look" ? by !== "look" : running.kind === "live" && by === "safe";
    if (!givesWay || running.cut.signal.aborted) return;
    counters.cut += 1;
    running.cut.abort();
  }

  return {
    async enter(target, kind, options = {}) {
      throwIfCancelled(options.signal, SENTENCE[kind]);
      const busy = lanes.get(target);
      if (!busy) {
        const lane: Lane = { running: { kind, cut: new AbortController() }, safe: [], live: [], look: [] };
        lanes.set(target, lane);
        return pass(target, lane);
      }
      if (kind === "live" && busy.live.length >= liveWaiting) {
        counters.refused += 1;
        throw kernelError("LANE_BUSY", `${busy.live.length} actions wait for this target already.`, {
          details: { target },
        });
      }
      if (kind === "safe") takeBack(busy, options.things ?? []);
      const turn = wait(target, busy, kind, options);
      if (kind === "safe" && busy.live.length > 0) counters.overtaken += 1;
      cutShort(busy, kind);
      return turn;
    },
    get counters() {
      let waiting = 0;
      for (const { safe, live, look } of lanes.values()) waiting += safe.length + live.length + look.length;
      return { ...counters, lanes: lanes.size, waiting };
    },
  };
}

const UNSENT = "The call was cancelled before anything was sent.";
const SENTENCE: Readonly<Record<LaneKind, string>> = {
  safe: UNSENT,
  live: UNSENT,
  look: "The call was cancelled; what became of the action is not known.",
};
