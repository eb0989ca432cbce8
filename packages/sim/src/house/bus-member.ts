import type { Step } from "./exchange-tracker.ts";

/** One symbol on the wire, as everybody hears it. */
export interface Heard {
  readonly symbol: number;
  readonly at: number;
  readonly step: Step;
  /** Set for the symbol of an arbitration slot: who took part, with which address. */
  readonly contenders: ReadonlyMap<BusMember, number> | undefined;
  /** True for the member whose address won the slot. */
  won(member: BusMember): boolean;
}

export interface BusMember {
  /** For the exchange log. */
  readonly name: string;
  /** A host behind a port: it may be slow, and faults such as theft are aimed at it. */
  readonly outside: boolean;
  hear(heard: Heard): void;
}
