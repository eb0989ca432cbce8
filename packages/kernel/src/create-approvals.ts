import { randomBytes } from "node:crypto";
import { untilAborted } from "./abortable.ts";
import { createApprovalBook } from "./approval-book.ts";
import type { Approval, ApprovalRequest, Approvals } from "./approval.ts";
import { effectiveRole, roleAtLeast, type Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { minutes, millis, type Duration } from "./duration.ts";
import type { Journal } from "./journal.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Ledger } from "./ledger.ts";
import { SteadingError } from "./steading-error.ts";

export interface ApprovalLimits {
  readonly ttl: Duration;
  readonly pendingPerPrincipal: number;
  /** Decided and expired ones that are remembered, so that a late caller learns what became of them. */
  readonly remembered: number;
}
export const APPROVAL_LIMITS: ApprovalLimits = { ttl: minutes(10), pendingPerPrincipal: 256, remembered: 10_000 };

/** Keeps approvals in the ledger. Every step is one commit together with its audit record. */
export function createApprovals({
  ledger,
  journal,
  clock,
  limits = APPROVAL_LIMITS,
}: {
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limits?: ApprovalLimits;
}): Approvals {
  const book = createApprovalBook({ ledger, clock, remembered: limits.remembered });
  const waiting = new Map<string, Set<(approval: Approval) => void>>();

  function must(id: string): { approval: Approval; revision: number } {
    const found = book.read(id);
    if (!found) throw kernelError("APPROVAL_UNKNOWN", "There is no such approval.");
    return found;
  }

  /** One step of one approval. Of two at once exactly one is written; the other learns what the first made of it. */
  async function write(approval: Approval, revision: number, kind: string, caller: Caller): Promise<void> {
    await journal.commit({
      durability: "fixed",
      expect: [{ space: book.space, key: approval.id, revision }],
      puts: [{ space: book.space, key: approval.id, value: { ...approval } }],
      deletes: book.sweep(),
      records: [
        journal.record("audit", {
          kind,
          correlation: caller.correlation,
          data: {
            approval: approval.id,
            principal: approval.principal,
            tool: approval.tool,
            confirm: approval.confirm,
            summary: approval.summary,
            by: caller.principal,
            through: caller.transport,
            state: approval.state,
          },
        }),
      ],
    });
    book.remember(approval);
    for (const wake of waiting.get(approval.id) ?? []) wake(approval);
  }

  async function request(asked: ApprovalRequest): Promise<Approval> {
    const { caller, tool, argumentsHash, confirm, summary, minimumRole, task } = asked;
    const pending = book.pending().filter(({ principal }) => principal === caller.principal).length;
    if (pending >= limits.pendingPerPrincipal) {
      throw kernelError(
        "APPROVALS_FULL",
        `${pending} approvals wait for a decision already; no more can be asked for.`,
      );
    }
    const now = clock.now();
    const approval: Approval = {
      id: randomBytes(24).toString("hex"), // base64 may begin with a dash, which a command line takes for a flag
      principal: caller.principal,
      tool,
      argumentsHash,
      confirm,
      summary,
      requestedAt: now,
      expiresAt: now + limits.ttl,
      state: "pending",
      ...(minimumRole === undefined ? {} : { minimumRole }),
      ...(task === undefined ? {} : { task }),
    };
    book.remember(approval); // counted from here on, so that calls side by side cannot pass the limit together
    try {
      await write(approval, 0, "approval.requested", caller);
    } catch (error) {
      book.forget(approval.id);
      throw error;
    }
    return approval;
  }

  async function decide(id: string, by: Caller, yes: boolean): Promise<Approval> {
    const { approval, revision } = must(id);
    const needed = approval.minimumRole ?? "operator";
    if (!roleAtLeast(effectiveRole(by), needed)) {
      throw kernelError("ACCESS_DENIED", `Deciding this approval needs the role ${needed}.`, { details: { needed } });
    }
    const secondChannel = by.transport === "console" || by.transport === "cli";
    if (approval.confirm === "approve" && by.principal === approval.principal && !secondChannel) {
      throw kernelError("APPROVAL_OWN", "Whoever asked cannot approve it over the same way.");
    }
    refuseUnless(approval, ["pending"]);
    const decided: Approval = { ...approval, state: yes ? "granted" : "declined", decidedBy: by.principal };
    await stale(() => write(decided, revision, yes ? "approval.granted" : "approval.declined", by));
    return decided;
  }

  async function spend(id: string, asked: ApprovalRequest): Promise<void> {
    const { approval, revision } = must(id);
    const same =
      approval.principal === asked.caller.principal &&
      approval.tool === asked.tool &&
      approval.argumentsHash === asked.argumentsHash &&
      approval.task === asked.task &&
      (approval.confirm === asked.confirm || approval.confirm === "approve");
    if (!same) throw kernelError("APPROVAL_MISMATCH", "This approval was given for another call.");
    refuseUnless(approval, approval.confirm === "confirm" ? ["pending", "granted"] : ["granted"]);
    // One for a task stays granted: it is bound to the task and its expiry instead of to a single use.
    const state = approval.task === undefined ? "used" : "granted";
    await stale(() => write({ ...approval, state }, revision, "approval.used", asked.caller));
  }

  async function decision(id: string, signal: AbortSignal): Promise<Approval> {
    const { approval } = must(id);
    if (approval.state !== "pending") {
      refuseUnless(approval, ["granted", "declined"]);
      return approval;
    }
    let wake: (decided: Approval) => void = () => {};
    const woken = new Promise<Approval>((resolve) => (wake = resolve));
    const waiters = waiting.get(id) ?? new Set();
    waiting.set(id, waiters.add(wake));
    const left = millis(Math.max(0, approval.expiresAt - clock.now()));
    const cancel = clock.timer(left, () => wake({ ...approval, state: "expired" }));
    try {
      const decided = await untilAborted(woken, signal);
      refuseUnless(decided, ["granted", "declined"]);
      return decided;
    } finally {
      cancel();
      waiters.delete(wake);
      if (waiters.size === 0) waiting.delete(id);
    }
  }

  return {
    request,
    decide,
    spend,
    decision,
    get: (id) => book.read(id)?.approval,
    pending: () => book.pending(),
  };
}

/** Two steps met: the one that came second hears the state that the first one left. */
async function stale(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof SteadingError) || error.code !== "REVISION_STALE") throw error;
    throw kernelError("APPROVAL_USED", "This approval was decided or used a moment ago.", { cause: error });
  }
}

function refuseUnless(approval: Approval, allowed: readonly Approval["state"][]): void {
  if (allowed.includes(approval.state)) return;
  switch (approval.state) {
    case "pending":
      throw kernelError("APPROVAL_PENDING", "Nobody has approved it yet.", { details: { approval: approval.id } });
    case "declined":
      throw kernelError("APPROVAL_DECLINED", "It was declined.");
    case "expired":
      throw kernelError("APPROVAL_EXPIRED", "The approval has expired.");
    case "granted":
    case "used":
      throw kernelError("APPROVAL_USED", "The approval has been decided or used already.");
  }
}
