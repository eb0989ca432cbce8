import type { IncomingMessage } from "node:http";
import { SteadingError } from "@steading/kernel";
import type { EdgeCounters } from "../http/edge-counters.ts";
import { readJson } from "../http/read-json.ts";
import type { Sender, UnfinishedBodies } from "../http/unfinished-bodies.ts";

/** Reads the JSON body of a route's request. Throws what becomes the answer when it cannot be had. */
export type ReadRouteBody = (req: IncomingMessage, sender: Sender, mostBytes: number) => Promise<unknown>;

export function createReadRouteBody({
  bodies,
  edge,
  bodyDepth,
}: {
  readonly bodies: UnfinishedBodies;
  readonly edge: EdgeCounters;
  readonly bodyDepth: number;
}): ReadRouteBody {
  function parse(bytes: Buffer): unknown {
    if (bytes.length === 0) return undefined;
    const json = readJson(bytes, bodyDepth);
    switch (json.kind) {
      case "json":
        return json.value;
      case "not-json":
        edge.count("not_json");
        throw new SteadingError("BODY_INVALID", "The body is not JSON.");
      case "too-deep":
        edge.count("too_deep");
        throw new SteadingError("BODY_INVALID", `The body must not be nested deeper than ${bodyDepth}.`);
      case "repeated-name":
        edge.count("repeated_name");
        throw new SteadingError("BODY_INVALID", "A name occurs twice in one object of the body.");
    }
  }

  return async (req, sender, mostBytes) => {
    const body = await bodies.read(req, { sender, mostBytes, mostPoured: mostBytes });
    switch (body.kind) {
      case "bytes":
        return parse(body.bytes);
      case "too-large":
        throw new SteadingError("BODY_TOO_LARGE", "The body is larger than this address takes.");
      case "too-slow":
        edge.count("timed_out");
        throw new SteadingError("BODY_TOO_SLOW", "The body took too long.", { retryable: true });
      case "gave-way":
        edge.count("too_many_bodies");
        throw new SteadingError("TOO_MANY_CALLS", "Too many requests are unfinished; try again later.", {
          retryable: true,
          details: { retry_after_seconds: 1 },
        });
      case "gone":
        throw new SteadingError("CANCELLED", "The client left before it had sent everything.");
    }
  };
}
