import type { CoreKnobs } from "./core-knobs.ts";
import type { CoreRole } from "./core-rows.ts";
import type { CoreSession, CoreSessions } from "./core-sessions.ts";
import type { CoreSite } from "./core-site.ts";

export interface CoreAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface CoreCall {
  readonly site: CoreSite;
  readonly knobs: CoreKnobs;
  readonly sessions: CoreSessions;
  readonly now: number;
  /** The numbers of the path, in order. */
  readonly ids: readonly number[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** There on every route but the open ones. */
  readonly session: CoreSession | undefined;
  /** What the Authorization header carries, checked or not. */
  readonly bearer: string | undefined;
}

export interface CoreRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `:id` stands for a number. */
  readonly path: string;
  readonly roles: readonly CoreRole[] | "open";
  readonly handle: (call: CoreCall) => CoreAnswer;
}

export const ANYBODY: readonly CoreRole[] = ["admin", "operator", "viewer"];
export const OPERATORS: readonly CoreRole[] = ["admin", "operator"];

export const ok = (body: unknown): CoreAnswer => ({ status: 200, body });

/** The two-word form that most routes of the reference use. */
export const refusal = (status: number, error: string, message: string): CoreAnswer => ({
  status,
  body: { error, message },
});

/** Relay and modbus routes forget the message. */
export const bareRefusal = (status: number, error: string): CoreAnswer => ({ status, body: { error } });

export function matchRoute(
  routes: readonly CoreRoute[],
  method: string,
  path: string,
): { readonly route: CoreRoute; readonly ids: readonly number[] } | undefined {
  for (const route of routes) {
    if (route.method !== method) continue;
    const pattern = new RegExp(`^${route.path.replaceAll(":id", "(\\d+)")}$`);
    const found = pattern.exec(path);
    if (found) return { route, ids: found.slice(1).map(Number) };
  }
  return undefined;
}
