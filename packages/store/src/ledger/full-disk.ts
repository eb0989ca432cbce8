import { seconds, type Cancel, type Clock, type Log } from "@steading/kernel";
import { liftOps, layOps } from "./overlay-ops.ts";
import type { Overlay } from "./overlay.ts";
import type { Ops } from "./writer-messages.ts";

/** How long to wait before the disk is asked again whether there is room. */
const ASK_AGAIN = seconds(5);

/** The time during which the database has no room: what is committed then lies in the reserve and over the database. */
export interface FullDisk {
  readonly on: boolean;
  begin(): void;
  /** Operations that the reserve has taken; the overlay shows them already. */
  keep(ops: Ops): void;
  /** Shows the reserve's operations again, after the overlay was emptied. */
  relay(): void;
  /** There is room again and everything is in the database. */
  end(): void;
  askAgain(): void;
  stop(): void;
}

export interface FullDiskDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly overlay: Overlay;
  /** Asks the writer whether the reserve can be emptied. */
  readonly ask: () => void;
}

export function createFullDisk({ clock, log, overlay, ask }: FullDiskDeps): FullDisk {
  let on = false;
  let stopped = false;
  /** Bounded by the reserve, which holds the same. */
  let kept: Ops[] = [];
  let timer: Cancel | undefined;

  function askAgain(): void {
    timer?.();
    if (!stopped) timer = clock.timer(ASK_AGAIN, ask);
  }

  return {
    get on() {
      return on;
    },
    begin() {
      if (on) return;
      on = true;
      log.error("The disk is full: only effects towards safe are recorded, in the reserve, until there is room.");
      askAgain();
    },
    keep(ops) {
      kept.push(ops);
    },
    relay() {
      for (const ops of kept) layOps(overlay, ops);
    },
    end() {
      on = false;
      for (const ops of kept) liftOps(overlay, ops);
      log.info("The disk has room again.", { fromReserve: kept.length });
      kept = [];
    },
    askAgain,
    stop() {
      stopped = true;
      timer?.();
    },
  };
}
