import type { IncomingMessage, ServerResponse } from "node:http";
import type { Health } from "@steading/kernel";
import { sendJson } from "./respond.ts";
import type { Route } from "./route.ts";

export type PlainRoute = Extract<
  Route,
  { kind: "health" | "ready" | "resource-metadata" | "issuer-metadata" | "none" }
>;

/** What is told without credentials: that we live, whether we are ready, and where to get a token. */
export function createPlainAnswers({ health, name }: { health(): Health; readonly name: string }) {
  return (req: IncomingMessage, res: ServerResponse, route: PlainRoute): void => {
    if (route.kind === "none" || route.kind === "issuer-metadata") return sendJson(res, 404, { error: "not_found" });
    if (req.method !== "GET" && req.method !== "HEAD") {
      return sendJson(res, 405, { error: "method_not_allowed" }, { Allow: "GET, HEAD" });
    }
    switch (route.kind) {
      case "health":
        return sendJson(res, 200, { status: "ok" });
      case "ready": {
        // The reason may name parts of the house; it is for people with credentials.
        const { status } = health();
        return sendJson(res, status === "down" ? 503 : 200, { status });
      }
      case "resource-metadata": {
        const resource = `http://${req.headers.host ?? "localhost"}${route.path}`;
        return sendJson(res, 200, {
          resource,
          scopes_supported: ["mcp"],
          bearer_methods_supported: ["header"],
          resource_name: name,
        });
      }
    }
  };
}
