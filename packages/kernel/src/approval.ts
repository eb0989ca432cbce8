import type { Caller, Role } from "./caller.ts";
import type { Confirm } from "./effect.ts";

export type ApprovalState = "pending" | "granted" | "declined" | "used" | "expired";

/** One kind of approval. Bound to caller, tool and the hash of the validated arguments; used once; survives a restart. */
export interface Approval {
  readonly id: string;
  readonly principal: string;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly confirm: Exclude<Confirm, "plain">;
  readonly summary: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly decidedBy?: string;
  /** The least role that may decide it. */
  readonly minimumRole?: Role;
  /** Given for one task: serves that task again and again until it expires, and no other. */
  readonly task?: string;
}

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly confirm: Exclude<Confirm, "plain">;
  readonly summary: string;
  /** The least role that may decide it. Default operator. */
  readonly minimumRole?: Role;
  /** Asks for an approval that serves one task (a run, a plan) repeatedly instead of once. */
  readonly task?: string;
}

/** Codes: `APPROVAL_UNKNOWN`, `APPROVAL_EXPIRED`, `APPROVAL_USED`, `APPROVAL_MISMATCH`, `APPROVAL_PENDING`, `APPROVAL_DECLINED`, `APPROVAL_OWN` (an `approve` decided by the asker), `APPROVALS_FULL`. */
export interface Approvals {
  request(request: ApprovalRequest): Promise<Approval>;
  /**
   * `by` decides. A `confirm` may be decided by whoever asked. An `approve` must not pass through the asking model: it is
   * decided by another principal, or by the same person at the console or the command line.
   */
  decide(id: string, by: Caller, yes: boolean): Promise<Approval>;
  /**
   * Spends the approval for exactly this call. A `confirm` that is still pending is answered by carrying it; an `approve`
   * must have been granted. Throws when anything differs; nothing is spent then.
   */
  spend(id: string, request: ApprovalRequest): Promise<void>;
  /** Resolves when somebody decides; rejects on expiry or abort. */
  decision(id: string, signal: AbortSignal): Promise<Approval>;
  get(id: string): Approval | undefined;
  pending(): readonly Approval[];
}
