import type { IncomingMessage, ServerResponse } from "node:http";
import type { View } from "@steading/kernel";
import type { Served } from "../routes/served.ts";

export type NameStyle = "dotted" | "safe";

/** Which tools a client looks at and how it wants them spelt. Decided by the address alone. */
export interface Window {
  readonly view: View;
  readonly names: NameStyle;
}

export type Route =
  | { readonly kind: "mcp"; readonly path: string; readonly window: Window; readonly sseSession: string | undefined }
  | { readonly kind: "messages"; readonly sseSession: string | undefined }
  | { readonly kind: "health" }
  | { readonly kind: "ready" }
  | { readonly kind: "metrics" }
  | { readonly kind: "resource-metadata"; readonly path: string }
  | { readonly kind: "issuer-metadata" }
  /** An address of a part. */
  | { readonly kind: "part"; serve(req: IncomingMessage, res: ServerResponse): void }
  | { readonly kind: "none" };

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

export type RouteOf = (target: string) => Route;

/**
 * Turns a request's target into what it asks for. Says nothing about methods. A listener that serves one view alone shows
 * it at `/mcp` and has no other MCP address.
 */
export function createRoutes({
  hasToolset,
  served: { mcp, metrics } = { mcp: "all", metrics: true },
}: {
  hasToolset(name: string): boolean;
  readonly served?: Pick<Served, "mcp" | "metrics">;
}): RouteOf {
  /** What nearly everybody asks for, made once. */
  const everything: Extract<Route, { kind: "mcp" }> = {
    kind: "mcp",
    path: "/mcp",
    window: { view: typeof mcp === "object" ? viewNamed(mcp.view) : { kind: "all" }, names: "dotted" },
    sseSession: undefined,
  };
  function viewOf(path: string): View | undefined {
    if (mcp === "none") return undefined;
    if (path === "/mcp") return everything.window.view;
    if (mcp !== "all" || !path.startsWith("/mcp/")) return undefined;
    const view = viewNamed(path.slice("/mcp/".length));
    return view.kind !== "toolset" || hasToolset(view.name) ? view : undefined;
  }
  return (target) => {
    if (target === "/mcp" && mcp !== "none") return everything;
    const route = routeOf(target, viewOf);
    const absent = (route.kind === "metrics" && !metrics) || (mcp === "none" && OF_MCP.has(route.kind));
    return absent ? { kind: "none" } : route;
  };
}

const OF_MCP: ReadonlySet<Route["kind"]> = new Set(["messages", "resource-metadata", "issuer-metadata"]);

function viewNamed(name: string): View {
  return name === "essential" ? { kind: "essential" } : { kind: "toolset", name };
}

function routeOf(target: string, viewOf: (path: string) => View | undefined): Route {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? undefined : new URLSearchParams(target.slice(mark + 1));

  switch (path) {
    case "/health":
    case "/healthz":
      return { kind: "health" };
    case "/readyz":
      return { kind: "ready" };
    case "/metrics":
      return { kind: "metrics" };
    case "/mcp/messages":
      return { kind: "messages", sseSession: query?.get("sessionId") ?? undefined };
    case "/.well-known/oauth-authorization-server":
      return { kind: "issuer-metadata" };
    default:
  }
  if (path.startsWith(RESOURCE_METADATA)) {
    const resource = path.slice(RESOURCE_METADATA.length);
    if (resource === "") return { kind: "resource-metadata", path: "/mcp" };
    return viewOf(resource) === undefined ? { kind: "none" } : { kind: "resource-metadata", path: resource };
  }
  const view = viewOf(path);
  if (view === undefined) return { kind: "none" };
  const names: NameStyle = query?.get("names") === "safe" ? "safe" : "dotted";
  return { kind: "mcp", path, window: { view, names }, sseSession: query?.get("sessionId") ?? undefined };
}
