import type { CallToolResult } from "@modelcontextprotocol/server";

/**
 * Structured content as each era can take it: always with a text for those who read only that, and in the 2025 era an
 * object, since that era knows no other.
 */
export function projectResult(result: CallToolResult, era: "modern" | "legacy"): CallToolResult {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  const hasText = result.content.some((block) => block.type === "text");
  const content = hasText
    ? result.content
    : [...result.content, { type: "text" as const, text: JSON.stringify(structuredContent) }];
  const isObject =
    typeof structuredContent === "object" && structuredContent !== null && !Array.isArray(structuredContent);
  return {
    ...result,
    content,
    structuredContent: isObject || era === "modern" ? structuredContent : { result: structuredContent },
  };
}
