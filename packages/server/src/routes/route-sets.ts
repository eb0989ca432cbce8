import type { Part, PartHttp, Route, SocketRoute } from "@steading/kernel";
import { createPathTable, isPathPattern, parametersOf, type PathTable } from "./path-table.ts";

/** What the server needs of a part to serve it over HTTP. */
export type RoutedPart = Pick<Part, "name" | "routes" | "sockets" | "http">;

/** Routes and sockets that are served together, under one name in a listener's `serve`. */
export interface RouteSet {
  readonly name: string;
  readonly part: string;
  /** Served wherever everything is. */
  readonly isDefault: boolean;
  readonly http: PartHttp;
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  readonly routesAt: PathTable<Route>;
  readonly socketsAt: PathTable<SocketRoute>;
}

/** Addresses of the shell itself; a part that took one would be unreachable there. */
const RESERVED = /^\/(?:mcp|health|healthz|readyz|metrics|\.well-known)(?:\/|$)/;

/** Sorts what parts want into sets, and throws for what could never be served. */
export function createRouteSets(parts: readonly RoutedPart[]): readonly RouteSet[] {
  const sets = parts.flatMap(setsOf);
  const names = new Set<string>();
  const taken = new Map<string, string>();
  for (const { name, isDefault, routes, sockets, http } of sets) {
    if (names.has(name)) throw new TypeError(`Two parts have a set of routes called ${name}.`);
    names.add(name);
    const wanted = [
      ...routes.map(({ method, path }) => ({ key: `${method} ${shapeOf(path)}`, path })),
      ...sockets.map(({ path }) => ({ key: `WS ${shapeOf(path)}`, path })),
      ...(isDefault && http.openapi !== undefined
        ? [{ key: `GET ${http.openapi.path}`, path: http.openapi.path }]
        : []),
    ];
    for (const { key, path } of wanted) {
      checkPath(name, path, isDefault);
      const place = isDefault ? key : `${name} ${key}`;
      const other = taken.get(place);
      if (other !== undefined) throw new TypeError(`${key} is wanted twice: by ${other} and by ${name}.`);
      taken.set(place, name);
    }
  }
  return sets;
}

function setsOf({ name: part, routes = [], sockets = [], http = {} }: RoutedPart): readonly RouteSet[] {
  const standard = `${part}-api`;
  const names = new Set([...routes, ...sockets].map(({ set = standard }) => set));
  return [...names].map((name) => {
    const ownRoutes = routes.filter(({ set = standard }) => set === name);
    const ownSockets = sockets.filter(({ set = standard }) => set === name);
    return {
      name,
      part,
      isDefault: name === standard,
      http,
      routes: ownRoutes,
      sockets: ownSockets,
      routesAt: createPathTable(ownRoutes.map((value) => ({ path: value.path, value }))),
      socketsAt: createPathTable(ownSockets.map((value) => ({ path: value.path, value }))),
    };
  });
}

function checkPath(set: string, path: string, isDefault: boolean): void {
  if (!isPathPattern(path)) throw new TypeError(`${set}: ${path} is no path that can be served.`);
  const names = parametersOf(path);
  if (new Set(names).size !== names.length) throw new TypeError(`${set}: ${path} names a parameter twice.`);
  if (isDefault && RESERVED.test(path)) throw new TypeError(`${set}: ${path} is an address of the hub itself.`);
}

/** Two patterns that differ in their parameters' names alone are the same address. */
function shapeOf(path: string): string {
  return path.replace(/:[A-Za-z0-9_]+/g, ":");
}
