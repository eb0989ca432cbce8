import type { Caller } from "./caller.ts";
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
}

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly confirm: Exclude<Confirm, "plain">;
  readonly summary: string;
}

/** Codes: `APPROVAL_UNKNOWN`, `APPROVAL_EXPIRED`, `APPROVAL_USED`, `APPROVAL_MISMATCH`, `APPROVAL_PENDING`, `APPROVAL_DECLINED`, `APPROVAL_OWN` (an `approve` decided by the asker). */
export interface Approvals {
  request(request: ApprovalRequest): Promise<Approval>;
  /** `by` decides. An `approve` may not be decided by the principal that asked; a `confirm` may. */
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
