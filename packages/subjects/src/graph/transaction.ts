import type { AskedEffect, Outcome } from "@steading/kernel";
import type { Subject } from "../instance/subject.ts";

export interface TransactionOptions {
  readonly onFailure?: "rollback" | "bestEffort";
  readonly locking?: "exclusive" | "optimistic";
  readonly conflict?: "fail" | "ignore";
  /** Require one source and one batch. */
  readonly singleWrite?: boolean;
  /** Covers source writes and reverts only. Default 30 000. */
  readonly timeoutMs?: number;
  /** The door, needed as soon as a door-owned property is touched. */
  readonly perform?: (effect: AskedEffect) => Promise<Outcome>;
  /** Check values as for a writer from outside: `writable`, range, library schemas. Default false. */
  readonly outside?: boolean;
}

export interface Transaction {
  set(subject: Subject, property: string, value: unknown): void;
  /** Pending values first. */
  get(subject: Subject, property: string): unknown;
}
