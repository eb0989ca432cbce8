import { inputRequired, type GetPromptResult, type InputRequiredResult } from "@modelcontextprotocol/server";
import type { PromptInfo, PromptSource } from "../prompts/prompt-source.ts";
import { accepted, elicit } from "./asking-tools.ts";
import { onePixelPng } from "./samples.ts";

const PROMPTS: readonly PromptInfo[] = [
  { name: "test_input_required_result_prompt", description: "Asks before it answers." },
  {
    name: "test_prompt_with_arguments",
    description: "Two arguments.",
    arguments: [
      { name: "arg1", required: true },
      { name: "arg2", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A document inside.",
    arguments: [{ name: "resourceUri", required: true }],
  },
  { name: "test_prompt_with_image", description: "An image inside." },
  { name: "test_simple_prompt", description: "Words only." },
];

/** The prompts the referee fetches. */
export function fixturePrompts(): PromptSource {
  return {
    list: () => PROMPTS,
    async get(name, given, { mcp }): Promise<GetPromptResult | InputRequiredResult | undefined> {
      switch (name) {
        case "test_simple_prompt":
          return messages({ type: "text", text: "This is a simple prompt for testing." });
        case "test_prompt_with_arguments":
          return messages({
            type: "text",
            text: `Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'`,
          });
        case "test_prompt_with_embedded_resource":
          return messages(
            {
              type: "resource",
              resource: {
                uri: given["resourceUri"] ?? "",
                mimeType: "text/plain",
                text: "Embedded resource content for testing.",
              },
            },
            { type: "text", text: "Please process the embedded resource above." },
          );
        case "test_prompt_with_image":
          return messages(
            { type: "image", data: onePixelPng(), mimeType: "image/png" },
            { type: "text", text: "Please analyze the image above." },
          );
        case "test_input_required_result_prompt": {
          const context = accepted(mcp, "user_context", "context");
          if (context === undefined)
            return inputRequired({
              inputRequests: { user_context: elicit("What context should the prompt use?", "context") },
            });
          return messages({ type: "text", text: context });
        }
        default:
          return undefined;
      }
    },
  };
}

type Content = GetPromptResult["messages"][number]["content"];

function messages(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}
