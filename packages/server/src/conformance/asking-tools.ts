import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { NativeTool } from "../native/native-tool.ts";
import { asking, strings, text } from "./fixture-tool.ts";

/** Questions in the 2026 way: the answer to a call is `input_required`, and the call comes back with the responses. */
export function askingTools(): NativeTool[] {
  return [
    asking("test_missing_capability", (_, { mcp }) =>
      mcp.mcpReq.inputResponses?.["sample"] === undefined
        ? inputRequired({ inputRequests: { sample: sample("ping", 8) } })
        : text("Answered."),
    ),
    asking("test_input_required_result_elicitation", (_, { mcp }) => {
      const name = accepted(mcp, "user_name", "name");
      return name === undefined
        ? inputRequired({ inputRequests: { user_name: elicit("What is your name?", "name") } })
        : text(`Hello, ${name}!`);
    }),
    asking("test_input_required_result_sampling", (_, { mcp }) => {
      const answer = inputResponse(mcp.mcpReq.inputResponses, "capital_question");
      if (answer.kind !== "sampling")
        return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
      return text(JSON.stringify(answer.result.content));
    }),
    asking("test_input_required_result_list_roots", (_, { mcp }) => {
      const answer = inputResponse(mcp.mcpReq.inputResponses, "client_roots");
      if (answer.kind !== "roots") return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
      return text(answer.roots.map(({ uri }) => uri).join(", "));
    }),
    withState("test_input_required_result_request_state"),
    withState("test_input_required_result_tampered_state"),
    asking("test_input_required_result_multiple_inputs", async (_, { mcp, mint }) => {
      const { user_name, greeting, client_roots } = mcp.mcpReq.inputResponses ?? {};
      if (user_name !== undefined && greeting !== undefined && client_roots !== undefined)
        return text("All inputs arrived.");
      const inputRequests = {
        user_name: elicit("What is your name?", "name"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      };
      return inputRequired({ inputRequests, requestState: await mint({ asked: true }) });
    }),
    asking("test_input_required_result_multi_round", async (_, { mcp, mint }) => {
      const state = mcp.mcpReq.requestState<{ round: number; name?: string }>();
      const name = accepted(mcp, "step1", "name");
      const colour = accepted(mcp, "step2", "color");
      if (state?.name !== undefined && colour !== undefined) return text(`${state.name} likes ${colour}.`);
      if (state !== undefined && name !== undefined) {
        const inputRequests = { step2: elicit("Step 2: What is your favorite color?", "color") };
        return inputRequired({ inputRequests, requestState: await mint({ round: 2, name }) });
      }
      const inputRequests = { step1: elicit("Step 1: What is your name?", "name") };
      return inputRequired({ inputRequests, requestState: await mint({ round: 1 }) });
    }),
    asking("test_input_required_result_capabilities", (_, { mcp }) => {
      if (mcp.mcpReq.inputResponses !== undefined) return text("Answered.");
      // Only what the client can do may be asked of it.
      const envelope: Readonly<Record<string, unknown>> = mcp.mcpReq.envelope ?? {};
      const able = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Readonly<Record<string, unknown>>;
      const inputRequests = {
        ...(able["elicitation"] !== undefined && { name: elicit("What is your name?", "name") }),
        ...(able["sampling"] !== undefined && { sample: sample("Say something", 10) }),
      };
      return Object.keys(inputRequests).length === 0
        ? text("Nothing that this client could be asked.")
        : inputRequired({ inputRequests });
    }),
  ];
}

function withState(name: string): NativeTool {
  return asking(name, async (_, { mcp, mint }) => {
    const state = mcp.mcpReq.requestState<{ step: number }>();
    if (state?.step === 1 && mcp.mcpReq.inputResponses?.["confirm"] !== undefined) return text("state-ok: confirmed");
    const requestedSchema = {
      type: "object" as const,
      properties: { ok: { type: "boolean" as const } },
      required: ["ok"],
    };
    const inputRequests = { confirm: inputRequired.elicit({ message: "Please confirm", requestedSchema }) };
    return inputRequired({ inputRequests, requestState: await mint({ step: 1 }) });
  });
}

export function elicit(message: string, field: string) {
  return inputRequired.elicit({
    message,
    requestedSchema: strings(field) as Parameters<typeof inputRequired.elicit>[0]["requestedSchema"] & object,
  });
}

/** The string the person gave, once they accepted. */
export function accepted(mcp: ServerContext, key: string, field: string): string | undefined {
  return acceptedContent(mcp.mcpReq.inputResponses, key, z.object({ [field]: z.string() }))?.[field];
}

function sample(prompt: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });
}
