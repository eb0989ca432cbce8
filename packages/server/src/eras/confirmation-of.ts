import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { QUESTION, type Answered, type Confirmation } from "../calls/confirmation.ts";
import type { RequestState } from "../calls/request-state.ts";

const Form = z.object({ confirm: z.boolean() });
const State = z.object({ approval: z.string() });

/** Undefined: this client shows no forms. Decided from what it declared, before anything is asked. */
export function confirmationOf(
  context: ServerContext,
  server: Server,
  era: "modern" | "legacy",
  state: Pick<RequestState, "mint">,
): Confirmation | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = context.mcpReq.envelope;
  // In the 2026 era each request speaks for itself; in the 2025 one the connection does.
  const capabilities = era === "modern" ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  if (!showsForms(capabilities)) return undefined;
  return {
    answered: answerOf(context),
    mint: (value) => state.mint({ ...value }, context),
  };
}

/** A bare `elicitation: {}` means forms: that is all there was before there were modes. */
function showsForms(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { readonly elicitation?: unknown };
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/** The state was verified before the handler ran; one that says nothing of an approval belongs to another question. */
function answerOf(context: ServerContext): Answered | undefined {
  const state = State.safeParse(context.mcpReq.requestState()).data;
  if (state === undefined) return undefined;
  const { inputResponses } = context.mcpReq;
  const response = inputResponse(inputResponses, QUESTION);
  if (response.kind === "elicit" && response.action !== "accept") return { ...state, says: "no" };
  const form = acceptedContent(inputResponses, QUESTION, Form);
  return { ...state, says: form === undefined ? "unclear" : form.confirm ? "yes" : "no" };
}
