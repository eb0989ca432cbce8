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

/** What nearly everybody asks for. */
const EVERYTHING: Route = {
  kind: "mcp",
  path: "/mcp",
  window: { view: { kind: "all" }, names: "dotted" },
  sseSession: undefined,
};

/** Turns a request's target into what it asks for. Says nothing about methods. */
export function routeOf(target: string, hasToolset: (name: string) => boolean): Route {
  if (target === "/mcp") return EVERYTHING;
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
    return viewOf(resource, hasToolset) === undefined
      ? { kind: "none" }
      : { kind: "resource-metadata", path: resource };
  }
  const view = viewOf(path, hasToolset);
  if (view === undefined) return { kind: "none" };
  const names: NameStyle = query?.get("names") === "safe" ? "safe" : "dotted";
  return { kind: "mcp", path, window: { view, names }, sseSession: query?.get("sessionId") ?? undefined };
}

function viewOf(path: string, hasToolset: (name: string) => boolean): View | undefined {
  if (path === "/mcp") return { kind: "all" };
  if (path === "/mcp/essential") return { kind: "essential" };
  if (!path.startsWith("/mcp/")) return undefined;
  const name = path.slice("/mcp/".length);
  return hasToolset(name) ? { kind: "toolset", name } : undefined;
}
