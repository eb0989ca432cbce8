import { canonicalHash, minutes, type Clock, type JsonObject, type ToolContext } from "@steading/kernel";
import { toolError } from "./tool-errors.ts";

const KEPT_FOR = minutes(10);
/** The oldest is forgotten first; by then its caller has long had its answer. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly hash: string;
  readonly answer: Promise<unknown>;
  readonly until: number;
}

/**
 * Lets a call with an idempotency key run once. The door does this for everything that leaves the hub, durably; this is for
 * writes and methods that stay inside, for as long as a caller may reasonably repeat itself. Ask it once the caller is
 * known to have the right: whoever lost it must not hear the answer of then.
 */
export interface RememberedCalls {
  run<T>(call: { tool: string; input: unknown; context: ToolContext }, work: () => Promise<T>): Promise<T>;
}

export function createRememberedCalls({ clock }: { clock: () => Clock }): RememberedCalls {
  const kept = new Map<string, Kept>();

  function forget(id: string, answer: Promise<unknown>): void {
    if (kept.get(id)?.answer === answer) kept.delete(id);
  }

  return {
    run<T>(
      { tool, input, context }: { tool: string; input: unknown; context: ToolContext },
      work: () => Promise<T>,
    ): Promise<T> {
      const { idempotencyKey, caller } = context;
      if (idempotencyKey === undefined) return work();
      const id = JSON.stringify([caller.principal, tool, idempotencyKey]);
      const hash = hashOf(input);
      const known = kept.get(id);
      if (known !== undefined && known.until > clock().monotonic()) {
        if (known.hash !== hash)
          throw toolError(
            "CONFLICT",
            "This idempotency key belongs to a call with other arguments; nothing was done.",
            { retryable: false },
          );
        return known.answer as Promise<T>; // the same tool gave it
      }
      const answer = work();
      kept.delete(id);
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
      kept.set(id, { hash, answer, until: clock().monotonic() + KEPT_FOR });
      // A failure changed nothing inside the hub; the key is free again. What reached a device, the door remembers.
      answer.catch(() => forget(id, answer));
      return answer;
    },
  };
}

function hashOf(input: unknown): string {
  try {
    return canonicalHash(input as JsonObject); // a tool's input was parsed from JSON
  } catch (cause) {
    throw toolError("INVALID_ARGUMENTS", "The arguments hold text or numbers that JSON cannot carry.", { cause });
  }
}
