import * as z from "zod";
import type { ActionRecord } from "./door.ts";
import type { Json } from "./json.ts";
import { receiptJson, STAGES } from "./receipt.ts";

/** Any JSON; that it is JSON was settled when it was stored. */
const JsonValue = z.unknown() as unknown as z.ZodType<Json>;

const Receipt = z.object({
  action: z.string(),
  stage: z.enum(STAGES).describe("How far it is known to have got."),
  at: z.iso.datetime(),
  observed: JsonValue.optional().describe("What the device said after the acknowledgement."),
});

/** An action as the tools and the resource show it. */
export const ActionJson = z.object({
  id: z.string(),
  tool: z.string(),
  principal: z.string(),
  target: z.string(),
  summary: z.string(),
  requested_at: z.iso.datetime(),
  in_doubt: z.boolean().describe("True while nobody knows whether it took effect."),
  arguments: z.record(z.string(), JsonValue),
  receipt: Receipt,
  before: JsonValue.optional().describe("What was observed before it."),
  acknowledgement: JsonValue.optional(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
});

export function actionJson(action: ActionRecord): z.infer<typeof ActionJson> {
  const { id, tool, principal, target, summary, requestedAt, outcome, receipt } = action;
  const { before, acknowledgement, error } = outcome ?? {};
  return {
    id,
    tool,
    principal,
    target,
    summary,
    requested_at: new Date(requestedAt).toISOString(),
    in_doubt: outcome === undefined || receipt.stage === "unknown",
    arguments: action.arguments,
    receipt: receiptJson(receipt),
    ...(before === undefined ? {} : { before }),
    ...(acknowledgement === undefined ? {} : { acknowledgement }),
    ...(error === undefined ? {} : { error }),
  };
}
