import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import type { Json } from "@steading/kernel";
import { identityFrom } from "../eras/identity.ts";

const LIFETIME_SECONDS = 300;

/** Signs what travels through a client between two rounds of one call, and knows it again when it comes back. */
export interface RequestState {
  mint(state: Json, context: ServerContext): Promise<string>;
  /** Rejects what was altered, is too old, or belongs to another principal or method. */
  verify(state: string, context: ServerContext): Promise<unknown>;
}

/** With a key from the data directory, pending questions survive a restart. */
export function createRequestState({ key = randomBytes(32) }: { readonly key?: Uint8Array }): RequestState {
  const codec = createRequestStateCodec({
    key,
    ttlSeconds: LIFETIME_SECONDS,
    bind: (context) => `${identityFrom(context.http?.authInfo)?.principal ?? "local"}|${context.mcpReq.method}`,
  });
  return {
    mint: (state, context) => codec.mint(state, context),
    verify: (state, context) => Promise.resolve(codec.verify(state, context)),
  };
}
