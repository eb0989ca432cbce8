import type { IncomingMessage, ServerResponse } from "node:http";
import type { Health, JsonObject } from "@steading/kernel";
import type { Authenticated } from "../auth/authenticator.ts";
import type { AuthorizationInfo } from "../auth/authorization-info.ts";
import { ownAddress } from "./own-address.ts";
import { sendJson } from "./respond.ts";
import type { Route } from "./route.ts";

export type PlainRoute = Extract<
  Route,
  { kind: "health" | "ready" | "resource-metadata" | "issuer-metadata" | "none" }
>;

/** What `/health` answers, by whose valid token came along; undefined: nobody's. */
export type HealthBody = (caller: Authenticated | undefined) => {
  readonly status: number;
  readonly body: JsonObject;
};

/** What is told without credentials: that we live, whether we are ready, and where to get a token. */
export function createPlainAnswers({
  health,
  healthBody,
  identify,
  name,
  authorization,
}: {
  health(): Health;
  readonly healthBody: HealthBody | undefined;
  identify(req: IncomingMessage): Promise<Authenticated | undefined>;
  readonly name: string;
  readonly authorization: AuthorizationInfo | undefined;
}) {
  const issuers = authorization?.issuers ?? [];
  const publicUrl = authorization?.publicUrl;

  /** Older clients look for the issuer's document here, so they get a copy of it. */
  async function mirrorIssuer(res: ServerResponse): Promise<void> {
    const document = await authorization?.issuerDocument();
    if (document !== undefined) return sendJson(res, 200, document);
    sendJson(res, 503, { error: "temporarily_unavailable" }, { "Retry-After": 30 });
  }

  return (req: IncomingMessage, res: ServerResponse, route: PlainRoute): void | Promise<void> => {
    const absent = route.kind === "none" || (route.kind === "issuer-metadata" && issuers.length === 0);
    if (absent) return sendJson(res, 404, { error: "not_found" });
    if (req.method !== "GET" && req.method !== "HEAD") {
      return sendJson(res, 405, { error: "method_not_allowed" }, { Allow: "GET, HEAD" });
    }
    switch (route.kind) {
      case "health":
        if (healthBody === undefined) return sendJson(res, 200, { status: "ok" });
        return identify(req).then((caller) => {
          const { status, body } = healthBody(caller);
          sendJson(res, status, body);
        });
      case "ready": {
        // The reason may name parts of the house; it is for people with credentials.
        const { status } = health();
        return sendJson(res, status === "down" ? 503 : 200, { status });
      }
      case "issuer-metadata":
        return mirrorIssuer(res);
      case "resource-metadata":
        // One audience for every address below /mcp, where it is known; else what the client itself asked for.
        return sendJson(res, 200, {
          resource: publicUrl === undefined ? `${ownAddress(req, undefined)}${route.path}` : `${publicUrl}/mcp`,
          // RFC 9728, 3.2: what has no elements is left out.
          ...(issuers.length === 0 ? {} : { authorization_servers: issuers }),
          scopes_supported: ["mcp"],
          bearer_methods_supported: ["header"],
          resource_name: name,
        });
    }
  };
}
