import { seconds, type Cancel, type Clock, type Health, type Log } from "@steading/kernel";
import type { Alerts } from "./alerts.ts";

/** Raises a critical alert while the hub's disk takes nothing, and clears it when it does again. */
export interface StorageAlert {
  start(): void;
  stop(): void;
}

const LOOK = seconds(5);
const FINGERPRINT = "storage";

export function createStorageAlert({
  health,
  alerts,
  clock,
  log,
}: {
  readonly health: () => Health;
  readonly alerts: Pick<Alerts, "raise" | "clear">;
  readonly clock: Clock;
  readonly log: Log;
}): StorageAlert {
  let cancel: Cancel | undefined;

  async function look(): Promise<void> {
    const found = health();
    if (found.status === "ok") return alerts.clear(FINGERPRINT);
    await alerts.raise({
      severity: "critical",
      message: `Storage: ${found.reason ?? "the disk refuses"}. Off and stop still work.`,
      source: "storage",
      fingerprint: FINGERPRINT,
    });
  }

  function wait(): void {
    cancel = clock.timer(LOOK, () => {
      look().catch((error: unknown) => log.error("The alert about the disk could not be kept.", error));
      wait();
    });
  }

  return {
    start() {
      if (!cancel) wait();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
