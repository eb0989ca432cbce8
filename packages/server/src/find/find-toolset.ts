import {
  defineTool,
  hours,
  isJsonObject,
  nearestName,
  type SteadingError,
  type Caller,
  type Dispatcher,
  type Json,
  type JsonObject,
  type Tool,
  type Toolset,
} from "@steading/kernel";
import * as z from "zod";
import { visibleTools } from "../lists/visible-tools.ts";
import { shellError } from "../shell-errors.ts";
import { rankTools } from "./rank-tools.ts";

const FOUND_AT_MOST = 50;
const SUMMARY_LENGTH = 200;
const LONGEST = hours(1);
const ALL = { kind: "all" } as const;

/**
 * Three tools that reach every other one, so that a short list is enough: find one by words, read what it takes, call
 * it. The call goes through the same dispatcher as any other, with the same caller, so it opens nothing.
 *
 * `dispatcher` is a function because the dispatcher is made of toolsets, this one among them.
 */
export function createFindToolset({ dispatcher }: { dispatcher(): Dispatcher }): Toolset {
  /** The words of the tool that was called, which ours must not replace. */
  const texts = new WeakMap<object, string>();
  const errorTexts = new WeakMap<SteadingError, string>();

  function seen(caller: Caller): readonly Tool[] {
    return visibleTools(dispatcher(), caller, ALL).filter((tool) => !OWN_NAMES.has(tool.name));
  }
  function unknown(name: string, caller: Caller): SteadingError {
    const near = nearestName(
      name,
      seen(caller).map((tool) => tool.name),
    );
    const question = near === undefined ? "" : ` Did you mean ${near}?`;
    return shellError(
      "TOOL_UNKNOWN",
      `There is no tool ${JSON.stringify(name)}.${question}`,
      near === undefined ? {} : { details: { near } },
    );
  }

  const find = defineTool({
    name: "find_tools",
    title: "Find tools",
    summary: "Finds tools by what they do. Use it first when no listed tool fits; then describe_tool and call_tool.",
    input: z.object({
      query: z.string().max(200).default("").describe("What you want to do, in a few words. Empty: everything."),
      limit: z.int().min(1).max(FOUND_AT_MOST).default(10),
    }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler({ query, limit }, { caller }) {
      const ranked = rankTools(seen(caller), query);
      const tools = ranked.slice(0, limit).map((tool) => ({
        name: tool.name,
        title: tool.title,
        summary: shorten(tool.description()),
        changes: tool.intent === "MUTATE",
      }));
      return { tools, total: ranked.length, cut: ranked.length > limit };
    },
  });

  const describe = defineTool({
    name: "describe_tool",
    title: "Describe a tool",
    summary: "Tells all about one tool: what it does and which arguments it takes.",
    input: z.object({ name: z.string().max(64) }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler({ name }, { caller }) {
      const tool = seen(caller).find((each) => each.name === name);
      if (tool === undefined) throw unknown(name, caller);
      return {
        name: tool.name,
        title: tool.title,
        description: tool.description(),
        changes: tool.intent === "MUTATE",
        confirm: tool.confirm,
        inputSchema: tool.inputSchema,
        ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
      };
    },
  });

  const call = defineTool({
    name: "call_tool",
    title: "Call a tool",
    summary: "Calls any tool by its name, with the arguments describe_tool tells. Answers what that tool answers.",
    input: z.object({ name: z.string().max(64), arguments: z.record(z.string(), z.unknown()).default({}) }),
    // It may reach a tool that acts, and hosts should ask as they would for that one.
    intent: "MUTATE",
    minimumRole: "viewer",
    essential: true,
    acceptsApproval: true,
    urgent: ({ name, arguments: given }) =>
      dispatcher()
        .tools(ALL, "admin")
        .find((tool) => tool.name === name && !OWN_NAMES.has(name))
        ?.isUrgent?.(given) === true,
    // Longer than any other: the tool that is called ends by its own deadline.
    deadline: LONGEST,
    text: (answer) => texts.get(answer) ?? JSON.stringify(answer),
    async handler({ name, arguments: given }, { caller, signal, progress, idempotencyKey, approval }) {
      if (OWN_NAMES.has(name)) throw unknown(name, caller);
      const tool = seen(caller).find((each) => each.name === name);
      // What was said beside the arguments holds for the tool inside, where it takes it and says nothing itself.
      const args = {
        ...(takes(tool, "idempotency_key") && idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
        ...(takes(tool, "approval") && approval !== undefined && { approval }),
        ...given,
      };
      const result = await dispatcher().call({ tool: name, arguments: args, caller, signal, progress });
      switch (result.kind) {
        case "answer":
          texts.set(result.structured, result.text);
          return result.structured;
        case "error":
          errorTexts.set(result.error, result.text);
          throw result.error;
        case "unknown-tool":
          throw unknown(name, caller);
      }
    },
  });

  return {
    name: "find",
    tools: [find, describe, call],
    errorJson(error): Json {
      const text = errorTexts.get(error);
      return text === undefined ? error.toJson() : (JSON.parse(text) as JsonObject); // made by a toolset's own errorJson
    },
  };
}

const OWN_NAMES: ReadonlySet<string> = new Set(["find_tools", "describe_tool", "call_tool"]);

function takes(tool: Tool | undefined, field: string): boolean {
  const properties = tool?.inputSchema["properties"];
  return isJsonObject(properties) && field in properties;
}

/** The first sentence, as far as it goes. */
function shorten(description: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/su.exec(description)?.[0] ?? description;
  return sentence.length <= SUMMARY_LENGTH ? sentence : `${sentence.slice(0, SUMMARY_LENGTH - 1)}…`;
}
