import type { IncomingHttpHeaders } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { declaresTasks } from "../tasks/tasks-extension.ts";

type Members = Readonly<Record<string, unknown>>;

/** A request in such good order that nothing about it needs the SDK. */
export interface HotRequest {
  readonly id: string | number;
  readonly method: "tools/list" | "tools/call";
  readonly params: Members;
  readonly meta: Members;
  readonly takesTask: boolean;
}

const VERSION = "2026-07-28";

/**
 * Undefined: not for the hot path. Looks only, so that the SDK leg can take over as if nothing had happened; that leg
 * owns every error.
 */
export function readHotRequest(headers: IncomingHttpHeaders, body: unknown): HotRequest | undefined {
  const method = headers["mcp-method"];
  if (method !== "tools/call" && method !== "tools/list") return undefined;
  if (headers["mcp-protocol-version"] !== VERSION) return undefined;
  const request = readHotBody(body);
  if (request?.method !== method) return undefined;
  return method === "tools/list" || headers["mcp-name"] === request.params["name"] ? request : undefined;
}

/** The same for a message that has no headers around it. */
export function readHotBody(body: unknown): HotRequest | undefined {
  if (!isObject(body)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (method !== "tools/call" && method !== "tools/list") return undefined;
  if (jsonrpc !== "2.0" || !isObject(params)) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  const meta = params["_meta"];
  if (!isObject(meta) || !isPlainEnvelope(meta)) return undefined;
  if (params["inputResponses"] !== undefined || params["requestState"] !== undefined) return undefined;
  if (method === "tools/call" && !isPlainCall(params)) return undefined;
  if (method === "tools/list" && params["cursor"] !== undefined && typeof params["cursor"] !== "string")
    return undefined;
  return {
    id: id as string | number, // checked above
    method,
    params,
    meta,
    takesTask: declaresTasks(meta[CLIENT_CAPABILITIES_META_KEY]),
  };
}

/** Does this message say that it is of the 2026 era? */
export function isModern({ params }: { readonly params?: unknown }): boolean {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) && meta[PROTOCOL_VERSION_META_KEY] === VERSION;
}

function isPlainEnvelope(meta: Members): boolean {
  if (meta[PROTOCOL_VERSION_META_KEY] !== VERSION || !isObject(meta[CLIENT_CAPABILITIES_META_KEY])) return false;
  if (meta["progressToken"] !== undefined || meta[LOG_LEVEL_META_KEY] !== undefined) return false;
  const client = meta[CLIENT_INFO_META_KEY];
  return (
    client === undefined ||
    (isObject(client) && typeof client["name"] === "string" && typeof client["version"] === "string")
  );
}

function isPlainCall(params: Members): boolean {
  if (typeof params["name"] !== "string") return false;
  return params["arguments"] === undefined || isObject(params["arguments"]);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
