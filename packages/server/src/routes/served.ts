import { shellError } from "../shell-errors.ts";
import type { RouteSet } from "./route-sets.ts";

/** What one listener serves. Whether the hub lives is told on all of them. */
export interface Served {
  /** `all`: every address of MCP. A view: that one alone, at `/mcp`. */
  readonly mcp: "all" | "none" | { readonly view: string };
  readonly metrics: boolean;
  readonly sets: readonly RouteSet[];
}

/** The default of a listener's `serve`. */
export const SERVE_ALL = ["all"] as const;

/**
 * Reads a listener's `serve`: `all` is everything that belongs to no other listener, `mcp` every address of MCP,
 * `mcp:<toolset>` one toolset at `/mcp` exactly and only, `<part>-api` the routes and sockets of a part.
 */
export function readServed({
  serve,
  sets,
  hasView,
  setting,
}: {
  readonly serve: readonly string[];
  readonly sets: readonly RouteSet[];
  hasView(name: string): boolean;
  readonly setting: string;
}): Served {
  const wanted = new Set(serve);
  const all = wanted.delete("all");
  const everyMcp = wanted.delete("mcp") || all;
  const views = [...wanted].filter((name) => name.startsWith("mcp:"));
  for (const view of views) wanted.delete(view);
  if (serve.length === 0) throw refused(setting, "names nothing to serve");
  if (views.length + (everyMcp ? 1 : 0) > 1) throw refused(setting, "asks for more than one thing at /mcp");
  const view = views[0]?.slice("mcp:".length);
  if (view !== undefined && !hasView(view)) throw refused(setting, `names the toolset ${view}, which is not there`);
  for (const name of wanted) {
    if (!sets.some((set) => set.name === name)) throw refused(setting, `names ${name}; ${known(sets)}`);
  }
  return {
    mcp: everyMcp ? "all" : view === undefined ? "none" : { view },
    metrics: all,
    // One that was named comes first: it may have an address that the hub has too.
    sets: [...sets.filter(({ name }) => wanted.has(name)), ...sets.filter((set) => all && isOnlyDefault(set, wanted))],
  };
}

function isOnlyDefault({ name, isDefault }: RouteSet, wanted: ReadonlySet<string>): boolean {
  return isDefault && !wanted.has(name);
}

function known(sets: readonly RouteSet[]): string {
  return `there are all, mcp, mcp:<toolset>${sets.map(({ name }) => `, ${name}`).join("")}`;
}

function refused(setting: string, why: string): Error {
  return shellError("LISTEN_REFUSED", `${setting} ${why}.`, { details: { setting } });
}
