import type { CallToolResult, Tool as WireTool } from "@modelcontextprotocol/server";
import type { AskingNativeTool, NativeTool, PlainNativeTool } from "../native/native-tool.ts";

type Schema = WireTool["inputSchema"];

const NO_ARGUMENTS: Schema = { type: "object", additionalProperties: false };

/** All of them required strings. */
export function strings(...names: readonly string[]): Schema {
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    required: [...names],
  };
}

export function text(content: string): CallToolResult {
  return { content: [{ type: "text", text: content }] };
}

export function plain(name: string, call: PlainNativeTool["call"], inputSchema: Schema = NO_ARGUMENTS): NativeTool {
  return { definition: definitionOf(name, inputSchema), plain: true, call };
}

export function asking(name: string, call: AskingNativeTool["call"], inputSchema: Schema = NO_ARGUMENTS): NativeTool {
  return { definition: definitionOf(name, inputSchema), call };
}

function definitionOf(name: string, inputSchema: Schema): WireTool {
  return { name, description: `What the referee calls as ${name}.`, inputSchema };
}
