import { cancelled } from "./abortable.ts";
import type { Approval, ApprovalRequest, Approvals } from "./approval.ts";
import { effectiveRole, roleAtLeast, type Caller } from "./caller.ts";
import type { PerformOptions } from "./door.ts";
import type { Effect } from "./effect.ts";
import { kernelError } from "./kernel-errors.ts";
import { SteadingError } from "./steading-error.ts";

/** Who may do it, and whether somebody has to say yes first. */
export interface DoorAccess {
  /** Throws ACCESS_DENIED or SERVER_READ_ONLY. Looks at the caller's rights as they are at this moment. */
  authorise(effect: Effect): void;
  /** Spends the approval that the effect needs, asks for one, or parks until somebody decides. */
  approve(effect: Effect, argumentsHash: string, options: PerformOptions): Promise<void>;
}

export function createDoorAccess({
  access,
  approvals,
  standing,
}: {
  readonly access: () => "read" | "write";
  readonly approvals: Approvals;
  readonly standing: (caller: Caller) => Caller | undefined;
}): DoorAccess {
  function authorise({ caller, minimumRole, toward }: Effect): void {
    const present = standing(caller);
    if (!present || !roleAtLeast(effectiveRole(present), minimumRole)) {
      throw kernelError("ACCESS_DENIED", `This needs the role ${minimumRole}.`, { details: { needed: minimumRole } });
    }
    if (toward === "live" && access() === "read") {
      throw kernelError("SERVER_READ_ONLY", "This hub is read-only: its setting `access` is `read`.", {
        details: { setting: "access" },
      });
    }
  }

  async function spend(effect: Effect, id: string, request: ApprovalRequest, options: PerformOptions): Promise<void> {
    try {
      await approvals.spend(id, request);
    } catch (error) {
      const pending = error instanceof SteadingError && error.code === "APPROVAL_PENDING";
      if (!pending || options.onApproval !== "wait") throw error;
      await park(effect, id, request, options);
    }
  }

  async function park(effect: Effect, id: string, request: ApprovalRequest, options: PerformOptions): Promise<void> {
    const never = new AbortController().signal;
    const { state } = await approvals.decision(id, options.signal ?? never);
    if (state === "declined") throw kernelError("APPROVAL_DECLINED", "It was declined; nothing was sent.");
    if (options.signal?.aborted) throw cancelled(options.signal);
    authorise(effect); // rights may have changed while it was parked
    await approvals.spend(id, request);
  }

  return {
    authorise,
    async approve(effect, argumentsHash, options) {
      const { caller, tool, confirm, summary, minimumRole, task, approval, toward } = effect;
      if (confirm === "plain" || toward === "safe") return;
      const request: ApprovalRequest = {
        caller,
        tool,
        argumentsHash,
        confirm,
        summary,
        minimumRole,
        ...(task === undefined ? {} : { task }),
      };
      if (approval !== undefined) return spend(effect, approval, request, options);
      const asked = await approvals.request(request);
      if (options.onApproval !== "wait") throw confirmationRequired(asked);
      return park(effect, asked.id, request, options);
    },
  };
}

function confirmationRequired({ id, confirm, summary, expiresAt }: Approval): SteadingError {
  const who = confirm === "confirm" ? "a confirmation" : "the approval of somebody else";
  const carried = `\`approval\` set to ${id}`;
  const how =
    confirm === "confirm"
      ? `Ask the person you act for. If they agree, repeat the call with ${carried}; they may also say so with \`steading approve ${id}\` or no with \`--decline\`.`
      : `A person decides with \`steading approve ${id}\` or at the console, or somebody else with \`decide_approval\`; then repeat the call with ${carried}.`;
  return kernelError("CONFIRMATION_REQUIRED", `Nothing was sent: this needs ${who}.`, {
    hint: how,
    details: { approval: id, confirm, summary, expires_at: new Date(expiresAt).toISOString() },
  });
}
