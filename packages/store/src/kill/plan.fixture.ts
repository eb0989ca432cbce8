import type { Durability } from "@steading/kernel";

/** What a process is to do until it is killed. */
export interface Plan {
  readonly dir: string;
  /** Where the relays' wires are recorded: they outlive the process. */
  readonly wires: string;
  /** Number of the first commit and of the first batch of readings, so that no life repeats another's. */
  readonly from: number;
  readonly writers: number;
  readonly relays: number;
  readonly readers: number;
  /** Effects that an earlier life left without an answer; they are asked for again, with their keys. */
  readonly unanswered: readonly Asked[];
  /** Only answers `unanswered` and ends, instead of going on until it is killed. */
  readonly finish: boolean;
}

export interface Asked {
  readonly relay: number;
  readonly key: string;
  readonly on: boolean;
}

/** Each class in the place that has it by the design: where it is put, and the stream that tells of it. */
export const PLACES: Readonly<
  Record<Durability, { readonly space: string; readonly stream: "audit" | "runs" | "bus" }>
> = {
  fixed: { space: "farm.alerts", stream: "audit" },
  kept: { space: "orchestrator.blackboard", stream: "runs" },
  volatile: { space: "orchestrator.child-output", stream: "bus" },
};

export const CLASSES = ["fixed", "kept", "volatile"] as const;
export const COMMIT_KIND = "kill.commit";
export const BATCH = 40;
export const seriesOf = (n: number): string => `/kill/${n % 5}`;

/** Nothing may be dropped for its age or number: then every gap is a fault. */
export const ROOMY = {
  reserveBytes: 1024 * 1024,
  runRecords: 10_000_000,
  runsRecords: 10_000_000,
  busRecords: 10_000_000,
};
