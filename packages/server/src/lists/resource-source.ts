import type { InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Caller, JsonObject, ResourceContent, ResourceProvider } from "@steading/kernel";

/** How long and by whom an answer may be kept. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** A document as the wire can carry it: also binary, with `_meta` of its own, and with a say about caching. */
export type ServedContent = (
  | ResourceContent
  | { readonly uri: string; readonly mimeType: string; readonly blob: string }
) & {
  readonly meta?: JsonObject;
  readonly cache?: CacheHint;
};

/** A kernel provider, or one that uses what only the wire has. */
export interface ResourceSource extends Omit<ResourceProvider, "read"> {
  /** Belongs to no toolset and tells nothing that a limited token should not know. */
  readonly forAnyToken?: boolean;
  /** `mcp` is there when a client asks over MCP: then it may be asked back. */
  read(uri: string, caller: Caller, mcp?: ServerContext): Promise<ServedContent | InputRequiredResult | undefined>;
}

const LIVE: CacheHint = { ttlMs: 0, cacheScope: "private" };
export const STATIC_DOCUMENT: CacheHint = { ttlMs: 300_000, cacheScope: "private" };
const UI_DOCUMENT: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };

/** What a source does not say: values are live, and pages for hosts change only with the program. */
export function cacheHintOf(content: ServedContent): CacheHint {
  return content.cache ?? (content.uri.startsWith("ui://") ? UI_DOCUMENT : LIVE);
}
