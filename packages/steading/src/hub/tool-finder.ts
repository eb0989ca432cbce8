import * as z from "zod";
import {
  defineTool,
  effectiveRole,
  errorsFrom,
  isJsonObject,
  nearestName,
  type Caller,
  type Dispatcher,
  type ErrorTable,
  type JsonObject,
  type Tool,
  type Toolset,
} from "@steading/kernel";

export const FINDER_ERRORS = {
  TOOL_UNKNOWN: { retryable: false, hint: "find_tools lists what there is." },
} as const satisfies ErrorTable;
const finderError = errorsFrom(FINDER_ERRORS);

const OWN = ["find_tools", "describe_tool", "call_tool"];
const MAX_FOUND = 50;

const Found = z.looseObject({ name: z.string(), title: z.string(), summary: z.string(), intent: z.string() });
const toolName = z.string().min(1).max(64).describe("Its exact name, as find_tools lists it.");

/**
 * Three tools that lead to all others, so that a host with a short list can still reach everything. They add no right:
 * what they run goes through the dispatcher as the same caller.
 */
export function createToolFinder({ dispatcher }: { readonly dispatcher: () => Dispatcher }): Toolset {
  function visible(caller: Caller): readonly Tool[] {
    return dispatcher()
      .tools({ kind: "all" }, effectiveRole(caller))
      .filter(({ name }) => !OWN.includes(name));
  }

  function unknown(name: string, caller: Caller): Error {
    const near = nearestName(
      name,
      visible(caller).map((tool) => tool.name),
    );
    return finderError(
      "TOOL_UNKNOWN",
      `There is no tool called ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
    );
  }

  const find = defineTool({
    name: "find_tools",
    title: "Find tools",
    summary: "Lists tools whose name, title or description contains all the given words; without words the first ones.",
    input: z.object({
      query: z.string().max(200).default("").describe("Words to look for."),
      limit: z.int().min(1).max(MAX_FOUND).default(20),
    }),
    output: z.looseObject({ tools: z.array(Found), count: z.number(), total: z.number(), cut: z.boolean() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler({ query, limit }, { caller }) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const hits = visible(caller).filter((tool) => {
        const text = `${tool.name} ${tool.title} ${tool.description()}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const tools = hits.slice(0, limit).map((tool) => ({
        name: tool.name,
        title: tool.title,
        summary: tool.description(),
        intent: tool.intent,
      }));
      return { tools, count: tools.length, total: hits.length, cut: hits.length > tools.length };
    },
  });

  const describe = defineTool({
    name: "describe_tool",
    title: "Describe a tool",
    summary: "Tells what a tool takes and answers, as JSON Schema.",
    input: z.object({ name: toolName }),
    output: z.looseObject({
      name: z.string(),
      title: z.string(),
      summary: z.string(),
      input_schema: z.looseObject({}),
    }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler({ name }, { caller }) {
      const tool = visible(caller).find((each) => each.name === name);
      if (!tool) throw unknown(name, caller);
      return {
        name,
        title: tool.title,
        summary: tool.description(),
        intent: tool.intent,
        confirm: tool.confirm,
        input_schema: tool.inputSchema,
        ...(tool.outputSchema !== undefined && { output_schema: tool.outputSchema }),
      };
    },
  });

  const call = defineTool({
    name: "call_tool",
    title: "Call any tool",
    summary: "Runs a tool that is not in the short list. Look its arguments up with describe_tool first.",
    input: z.object({
      name: toolName,
      arguments: z
        .looseObject({})
        .default({})
        .describe("The tool's own arguments, its idempotency_key and approval included."),
    }),
    output: z.looseObject({ tool: z.string(), answer: z.looseObject({}) }),
    intent: "MUTATE",
    minimumRole: "viewer",
    essential: true,
    async handler({ name, arguments: given }, { caller, signal, idempotencyKey, progress }) {
      const tool = visible(caller).find((each) => each.name === name);
      const result = OWN.includes(name)
        ? ({ kind: "unknown-tool" } as const)
        : await dispatcher().call({
            tool: name,
            arguments: withKey(given, tool, idempotencyKey),
            caller,
            signal,
            progress,
          });
      switch (result.kind) {
        case "answer":
          return { tool: name, answer: result.structured, ...liftedReceipt(result.structured) };
        case "error":
          throw result.error;
        case "unknown-tool":
          throw unknown(name, caller);
      }
    },
  });

  return { name: "tools", tools: [find, describe, call] };
}

/** A key given to call_tool is meant for the tool it calls; one among that tool's own arguments wins. */
function withKey(
  given: Record<string, unknown>,
  tool: Tool | undefined,
  key: string | undefined,
): Record<string, unknown> {
  if (key === undefined || tool?.intent !== "MUTATE" || "idempotency_key" in given) return given;
  return { ...given, idempotency_key: key };
}

/** Every MUTATE answer carries its receipt at the top. */
function liftedReceipt(answer: JsonObject): { receipt?: JsonObject } {
  const receipt = answer["receipt"];
  return isJsonObject(receipt) ? { receipt } : {};
}
