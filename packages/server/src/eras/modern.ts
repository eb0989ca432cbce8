import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { BuildInstance } from "./build-instance.ts";
import { identityFrom, toAuthInfo, type Identity } from "./identity.ts";
import { toWebRequest } from "./web-request.ts";
import { writeResponse } from "./write-response.ts";

/** One request that has passed the guards. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly identity: Identity;
  readonly window: Window;
}

export interface ModernLeg {
  serve(exchange: Exchange, body: unknown): Promise<void>;
  close(): Promise<void>;
}

/** The 2026-07-28 era: no session, one instance per request. Also owns the error bodies of malformed requests. */
export function createModernLeg({
  build,
  log,
  keepAliveMs,
  unreadBytes,
}: {
  readonly build: BuildInstance;
  readonly log: Log;
  readonly keepAliveMs: number;
  readonly unreadBytes: number;
}): ModernLeg {
  const windows = new WeakMap<Request, Window>();
  const handler = createMcpHandler(
    ({ era, authInfo, requestInfo }) => {
      const identity = identityFrom(authInfo);
      const window = requestInfo === undefined ? undefined : windows.get(requestInfo);
      if (identity === undefined || window === undefined)
        throw new Error("A request reached the 2026 leg without passing the gate");
      return build({ era, identity, window });
    },
    {
      legacy: "reject",
      keepAliveMs,
      onerror: (error) => log.debug("A 2026 request was refused.", { reason: error.message }),
    },
  );

  return {
    async serve({ req, res, identity, window }, body) {
      const request = toWebRequest(req, res);
      windows.set(request, window);
      const response = await handler.fetch(request, { authInfo: toAuthInfo(identity), parsedBody: body });
      if (res.destroyed) return void response.body?.cancel().catch(() => {});
      await writeResponse(response, res, unreadBytes);
    },
    close: () => handler.close(),
  };
}
