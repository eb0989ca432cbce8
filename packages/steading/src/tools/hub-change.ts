import {
  millis,
  receiptJson,
  STAGES,
  SteadingError,
  type AskedEffect,
  type Json,
  type Outcome,
  type ToolContext,
} from "@steading/kernel";
import * as z from "zod";

/** The receipt as every answer of a changing tool carries it. */
export const ReceiptJson = z.object({
  action: z.string().describe("For get_action."),
  stage: z.enum(STAGES).describe("How far it is known to have got."),
  at: z.iso.datetime(),
  observed: z.unknown().optional(),
});

export interface HubChange<T extends object> extends Pick<
  AskedEffect,
  "arguments" | "target" | "summary" | "sendDeadline"
> {
  /** Does it, all or nothing. What it throws means that nothing was done. */
  change(): Promise<T>;
}

/**
 * A change of the hub itself, through the door like every other effect. Towards safe: neither a read-only nor a disarmed
 * hub may be kept from being looked after, and nothing in the place is switched by it. It ends as `acknowledged`: our own
 * memory is no device that could be asked again.
 */
export async function changeHub<T extends object>(
  { perform }: Pick<ToolContext, "perform">,
  { change, ...asked }: HubChange<T>,
): Promise<{ readonly value: T; readonly receipt: z.infer<typeof ReceiptJson> }> {
  const outcome = await perform({
    ...asked,
    toward: "safe",
    observer: "hub",
    observeWith: {},
    observeDeadline: millis(0),
    drive: { send: async () => (await change()) as Json }, // tools answer with plain values
  });
  return { value: acknowledged<T>(outcome), receipt: receiptJson(outcome.receipt) };
}

/** What `change` answered, at this call or at the first one with the same key. */
function acknowledged<T extends object>({ receipt: { action, stage }, acknowledgement, error }: Outcome): T {
  if (acknowledgement !== undefined) return acknowledgement as T; // nobody but `change` makes it
  const { code, message, retryable } = error ?? { code: "INTERNAL", message: "Nobody knows why.", retryable: false };
  throw new SteadingError(code, message, { retryable, details: { action, stage } });
}
