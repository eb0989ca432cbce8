import type { IncomingMessage } from "node:http";
import type { EdgeRefusal } from "./edge-counters.ts";
import { readJson } from "./read-json.ts";
import type { RpcFault } from "./respond.ts";
import type { Sender, UnfinishedBodies } from "./unfinished-bodies.ts";

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "refused"; readonly why: EdgeRefusal; readonly fault: RpcFault }
  /** The client left before it had sent everything. */
  | { readonly kind: "gone" };

/** Reads the body of a request as JSON, within limits. */
export type ReadBody = (req: IncomingMessage, sender: Sender) => Promise<Body>;

/** How many times the limit a client may pour in: most read no answer before they have sent everything. */
const PATIENCE = 4;

/** `application/json` only, which the caller has checked. */
export function createReadBody({
  bodies,
  bodyBytes,
  bodyDepth,
}: {
  readonly bodies: UnfinishedBodies;
  readonly bodyBytes: number;
  readonly bodyDepth: number;
}): ReadBody {
  const fault = { status: 413, code: -32000, message: `The body must not exceed ${bodyBytes} bytes` };
  const tooLarge = refused("too_large", fault);
  const farTooLarge = refused("too_large", { ...fault, headers: { Connection: "close" } });
  const tooSlow = refused("timed_out", {
    status: 408,
    code: -32000,
    message: "The body took too long",
    headers: { Connection: "close" },
  });
  const gaveWay = refused("too_many_bodies", {
    status: 429,
    code: -32000,
    message: "Too many requests are unfinished; try again later",
    headers: { Connection: "close", "Retry-After": 1 },
  });
  const notJson = refused("not_json", { status: 400, code: -32700, message: "Parse error: the body is not JSON" });
  const tooDeep = refused("too_deep", {
    status: 400,
    code: -32600,
    message: `The body must not be nested deeper than ${bodyDepth}`,
  });
  const repeated = refused("repeated_name", {
    status: 400,
    code: -32600,
    message: "A name occurs twice in one object of the body",
  });

  function parse(bytes: Buffer): Body {
    const json = readJson(bytes, bodyDepth);
    switch (json.kind) {
      case "json":
        return json;
      case "not-json":
        return notJson;
      case "too-deep":
        return tooDeep;
      case "repeated-name":
        return repeated;
    }
  }

  return async (req, sender) => {
    const body = await bodies.read(req, { sender, mostBytes: bodyBytes, mostPoured: bodyBytes * PATIENCE });
    switch (body.kind) {
      case "bytes":
        return parse(body.bytes);
      case "too-large":
        return body.goesOn ? farTooLarge : tooLarge;
      case "too-slow":
        return tooSlow;
      case "gave-way":
        return gaveWay;
      case "gone":
        return GONE;
    }
  };
}

const GONE: Body = { kind: "gone" };

function refused(why: EdgeRefusal, fault: RpcFault): Body {
  return { kind: "refused", why, fault };
}

/** `application/json`, with or without parameters. */
export function isJsonMediaType(header: string | undefined): boolean {
  if (header === "application/json") return true;
  return header !== undefined && header.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
