import { seconds, type Cancel, type Clock } from "@steading/kernel";
import type { AdapterInfo } from "../adapters/adapter-info.ts";
import { readAnswers, readIdentity, type AdapterIdentity } from "../adapters/enh-info.ts";

const TELEMETRY_EVERY = seconds(30);

/** What the adapter tells of itself, and when it was asked, in epoch milliseconds. */
export interface AdapterReport extends AdapterInfo {
  readonly identityAt: number;
  readonly telemetryAt: number;
}

export interface AdapterWatch {
  /** The adapter is ready, for the first time or after a restart: who it is may have changed. */
  begin(): void;
  stop(): void;
}

/** Asks an adapter who it is, once, and how it is, every 30 s. None of this reaches the bus. */
export function createAdapterWatch({
  ask,
  clock,
  told,
}: {
  readonly ask: (id: number) => Promise<Uint8Array | undefined>;
  readonly clock: Clock;
  readonly told: (report: AdapterReport) => void;
}): AdapterWatch {
  let timer: Cancel | undefined;
  /** Tells the answers of a round from those of one that was given up meanwhile. */
  let round = 0;
  let identity: (AdapterIdentity & { readonly at: number }) | undefined;

  async function look(mine: number): Promise<void> {
    if (!identity) {
      const read = await readIdentity(ask);
      if (mine !== round) return;
      identity = read && { ...read, at: clock.now() };
    }
    if (identity) {
      const telemetry = await readAnswers(ask, identity.telemetryIds);
      if (mine !== round) return;
      told({ ...identity.info, ...telemetry, identityAt: identity.at, telemetryAt: clock.now() });
    }
    timer = clock.timer(TELEMETRY_EVERY, () => void look(mine));
  }

  function stop(): void {
    round += 1;
    timer?.();
    identity = undefined;
  }

  return {
    begin() {
      stop();
      void look(round);
    },
    stop,
  };
}
