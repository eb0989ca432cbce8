import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { kernelError, SteadingError, type Approvals, type Caller, type CallResult, type Log } from "@steading/kernel";
import { question, wantedOf, type Confirmation } from "./confirmation.ts";

export interface ConfirmedCall {
  readonly arguments: unknown;
  readonly caller: Caller;
  /** Undefined: the client cannot be asked, and is told the approval's id instead. */
  readonly confirmation: Confirmation | undefined;
  /** False once nobody waits for the call's own answer any more, so that there is nobody to ask. */
  mayAsk(): boolean;
  run(given: unknown): Promise<CallResult>;
}

/** Puts the question of a `confirm` tool to the client that called it, and goes on with the answer. */
export type RunConfirmed = (call: ConfirmedCall) => Promise<CallResult | InputRequiredResult>;

/** Without `approvals` nobody is asked: a no could not be written down. */
export function createConfirmedCalls({
  approvals,
  log,
}: {
  readonly approvals: Pick<Approvals, "decide" | "get"> | undefined;
  readonly log: Log;
}): RunConfirmed {
  /** For good: the same state with a yes must find nothing to spend. */
  async function decline(approval: string, caller: Caller): Promise<CallResult> {
    if (approvals?.get(approval)?.principal !== caller.principal)
      return refusal(kernelError("APPROVAL_UNKNOWN", "There is no such approval."));
    try {
      await approvals.decide(approval, caller, false);
    } catch (fault) {
      if (fault instanceof SteadingError) return refusal(fault);
      log.error("A declined approval could not be written down.", fault);
      return refusal(kernelError("INTERNAL", "Nothing was sent, and the no could not be written down."));
    }
    return refusal(kernelError("APPROVAL_DECLINED", "It was declined; nothing was sent."));
  }

  return async ({ arguments: given, caller, confirmation, mayAsk, run }) => {
    const answered = approvals === undefined ? undefined : confirmation?.answered;
    if (answered?.says === "no") return decline(answered.approval, caller);
    if (answered?.says === "yes") {
      const result = await run(withApproval(given, answered.approval));
      // A yes to another call is none to this one, which is asked about for itself.
      if (result.kind !== "error" || result.error.code !== "APPROVAL_MISMATCH") return result;
    }
    const result = await run(given);
    const wanted = confirmation === undefined || approvals === undefined ? undefined : wantedOf(result);
    if (wanted === undefined || confirmation === undefined || !mayAsk()) return result;
    return question(wanted, confirmation);
  };
}

/** The door checks that it was given for exactly this call; what is no object, the tool refuses by itself. */
function withApproval(given: unknown, approval: string): unknown {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given, approval } : given;
}

function refusal(error: SteadingError): CallResult {
  return { kind: "error", error, text: JSON.stringify(error.toJson()) };
}
