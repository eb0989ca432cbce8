import type { View } from "@steading/kernel";

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
  | { readonly kind: "none" };

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

export type RouteOf = (target: string) => Route;

/**
 * Turns a request's target into what it asks for. Says nothing about methods. With `only`, the listener shows one toolset
 * at `/mcp` and has no other MCP address.
 */
export function createRoutes({
  hasToolset,
  only,
}: {
  hasToolset(name: string): boolean;
  readonly only?: string;
}): RouteOf {
  /** What nearly everybody asks for, made once. */
  const everything: Extract<Route, { kind: "mcp" }> = {
    kind: "mcp",
    path: "/mcp",
    window: { view: only === undefined ? { kind: "all" } : { kind: "toolset", name: only }, names: "dotted" },
    sseSession: undefined,
  };
  function viewOf(path: string): View | undefined {
    if (path === "/mcp") return everything.window.view;
    if (only !== undefined || !path.startsWith("/mcp/")) return undefined;
    if (path === "/mcp/essential") return { kind: "essential" };
    const name = path.slice("/mcp/".length);
    return hasToolset(name) ? { kind: "toolset", name } : undefined;
  }
  return (target) => (target === "/mcp" ? everything : routeOf(target, viewOf));
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
