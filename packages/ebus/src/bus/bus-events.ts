import type { LinkTrouble, Misconfiguration } from "../adapters/bus-session.ts";
import type { Broken } from "../wire/decoder.ts";
import type { Telegram } from "../wire/telegram.ts";
import type { AdapterReport } from "./adapter-watch.ts";
import type { SignalState } from "./signal.ts";

/** A telegram that was acknowledged to the end, ours (`active`) or somebody else's. */
export interface BusTelegram {
  readonly scope: "active" | "passive";
  readonly telegram: Telegram;
  /** Epoch milliseconds when we saw its end. */
  readonly at: number;
}

export type SourceState = "listening" | "probing" | "admitted" | "degraded" | "read_only" | "daemon";

export interface BusState {
  readonly connected: boolean;
  /** The adapter has settled and the bus can be heard. */
  readonly ready: boolean;
  readonly signal: SignalState;
  readonly sourceState: SourceState;
  readonly source: number | undefined;
  readonly misconfigured: Misconfiguration | undefined;
  /** Undefined: it cannot tell, or has not told yet. */
  readonly adapter: AdapterReport | undefined;
}

/** Since the bus was made; all only ever grow. */
export interface BusCounters {
  readonly symbols: number;
  readonly syns: number;
  readonly telegrams: number;
  readonly broken: Readonly<Partial<Record<Broken, number>>>;
  readonly trouble: Readonly<Partial<Record<LinkTrouble, number>>>;
  readonly arbitrationsLost: number;
  readonly adapterResets: number;
  /** No symbol for longer than a SYN may take: whatever was half read was dropped. */
  readonly synMissed: number;
  /** Things thrown where nothing should be: by a session, which is made again then, or by somebody who watches. */
  readonly faults: number;
  readonly connects: number;
  readonly failedConnects: number;
  readonly sent: number;
  readonly coalesced: number;
  readonly refused: number;
  readonly expired: number;
  readonly outcomes: Readonly<Record<string, number>>;
}
