import { cancelled, throwIfCancelled } from "./abortable.ts";
import type { Toward } from "./effect.ts";
import { kernelError } from "./kernel-errors.ts";

/** Leave to work on a target, until `leave` is called. */
export interface Pass {
  /** Aborts when something towards safe waits behind this live effect: stop looking, it must not be held up. */
  readonly cut: AbortSignal;
  leave(): void;
}

export interface LaneCounters {
  readonly entered: number;
  readonly refused: number;
  /** Live effects whose observation was cut short. */
  readonly cut: number;
  /** Safe effects that went before waiting live ones. */
  readonly overtaken: number;
  readonly lanes: number;
  readonly waiting: number;
}

export interface Lanes {
  /** Resolves when it is this one's turn. Rejects with LANE_BUSY when too many live ones wait, or when the signal aborts. */
  enter(target: string, toward: Toward, signal?: AbortSignal): Promise<Pass>;
  readonly counters: LaneCounters;
}

interface Waiting {
  readonly toward: Toward;
  readonly begin: () => void;
}
interface Lane {
  running: { readonly toward: Toward; readonly cut: AbortController };
  readonly safe: Waiting[];
  readonly live: Waiting[];
}

/**
 * One at a time per physical target. Towards safe goes before everything live that waits; how many of those may wait is
 * bounded by who may call at all, since nothing here may refuse them.
 */
export function createLanes({ liveWaiting = 64 }: { readonly liveWaiting?: number } = {}): Lanes {
  /** Only busy targets have one. */
  const lanes = new Map<string, Lane>();
  const counters = { entered: 0, refused: 0, cut: 0, overtaken: 0 };

  function pass(target: string, lane: Lane): Pass {
    counters.entered += 1;
    const { running } = lane;
    let left = false;
    return {
      cut: running.cut.signal,
      leave() {
        if (left) return;
        left = true;
        const next = lane.safe.shift() ?? lane.live.shift();
        if (next) next.begin();
        else lanes.delete(target);
      },
    };
  }

  function wait(target: string, lane: Lane, toward: Toward, signal: AbortSignal | undefined): Promise<Pass> {
    const queue = lane[toward];
    return new Promise<Pass>((resolve, reject) => {
      const entry: Waiting = {
        toward,
        begin() {
          signal?.removeEventListener("abort", onAbort);
          lane.running = { toward, cut: new AbortController() };
          resolve(pass(target, lane));
        },
      };
      function onAbort(): void {
        queue.splice(queue.indexOf(entry), 1);
        if (signal) reject(cancelled(signal));
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      queue.push(entry);
    });
  }

  function cutShort({ running }: Lane): void {
    if (running.toward === "safe" || running.cut.signal.aborted) return;
    counters.cut += 1;
    running.cut.abort();
  }

  return {
    async enter(target, toward, signal) {
      throwIfCancelled(signal);
      const busy = lanes.get(target);
      if (!busy) {
        const lane: Lane = { running: { toward, cut: new AbortController() }, safe: [], live: [] };
        lanes.set(target, lane);
        return pass(target, lane);
      }
      if (toward === "live" && busy.live.length >= liveWaiting) {
        counters.refused += 1;
        throw kernelError("LANE_BUSY", `${busy.live.length} actions wait for this target already.`, {
          details: { target },
        });
      }
      const turn = wait(target, busy, toward, signal);
      if (toward === "safe") {
        if (busy.live.length > 0) counters.overtaken += 1;
        cutShort(busy);
      }
      return turn;
    },
    get counters() {
      let waiting = 0;
      for (const { safe, live } of lanes.values()) waiting += safe.length + live.length;
      return { ...counters, lanes: lanes.size, waiting };
    },
  };
}
