import type { CallToolResult } from "@modelcontextprotocol/server";
import type { EncodedAnswer } from "@steading/kernel";

/** Not a member that is copied along: whoever makes another result of this one has other JSON. */
const JSON_OF = Symbol("json");

/** Remembers the JSON of a plain result with it, where its tool has made that already. */
export function withJson(result: CallToolResult, encoded: EncodedAnswer | undefined): CallToolResult {
  if (encoded === undefined) return result;
  const { text, structured } = encoded;
  const value = `{"content":[{"type":"text","text":${text}}],"structuredContent":${structured}}`;
  return Object.defineProperty(result, JSON_OF, { value, enumerable: false });
}

export function jsonOf(result: object): string {
  const made = (result as { readonly [JSON_OF]?: unknown })[JSON_OF]; // set above, or absent
  return typeof made === "string" ? made : JSON.stringify(result);
}
