import {
  argumentProblems,
  asSteadingError,
  effectiveRole,
  hours,
  invalidArguments,
  roleAtLeast,
  silentLog,
  SteadingError,
  type AccountDesk,
  type Accounts,
  type Caller,
  type Json,
  type Role,
  type Route,
  type RouteAnswer,
} from "@steading/kernel";
import type { ArmingPort } from "../api/api-deps.ts";
import { createFarmRoutes } from "../api/farm-api.ts";
import { farmHttp } from "../api/farm-http.ts";
import { createLogPages, type LogPages } from "../model/log-pages.ts";
import { caller, type TrialFarm } from "./trial-farm.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly json: Row;
  /** The same, of a call that answers a list. */
  readonly rows: readonly Row[];
  /** The number of what was answered. */
  readonly id: number;
  readonly text: string | undefined;
}

function toAnswer(status: number, body: unknown, text?: string): Answer {
  const json = JSON.parse(JSON.stringify(body ?? null)) as Row; // whoever asks for rows knows that it is a list
  return { status, json, rows: json as unknown as readonly Row[], id: Number(json?.["id"]), text };
}

export interface TrialApi {
  readonly routes: readonly Route[];
  readonly logs: LogPages;
  call(method: string, path: string, options?: { readonly role?: Role; readonly body?: unknown }): Promise<Answer>;
}

/**
 * The farm's routes as the server serves them: matched, checked by their schemas, refused by role and answered in the
 * farm's own words. Without sockets, so that a test of a rule stays one.
 */
export function createTrialApi(
  farm: TrialFarm,
  { arming, databasePath }: { readonly arming?: ArmingPort; readonly databasePath?: string } = {},
): TrialApi {
  const logs = createLogPages({ log: silentLog, clock: farm.clock });
  const routes = createFarmRoutes({
    core: farm.core,
    facts: { version: "1.2.3", startedAt: farm.clock.now(), armed: () => arming?.held() === undefined, databasePath },
    door: farm.door,
    clock: farm.clock,
    // Who logs in and how is the hub's; tests of that run the hub.
    accounts: { list: () => [], find: () => undefined } as unknown as Accounts,
    desk: {} as AccountDesk,
    sessionTimeout: hours(8),
    logs,
    arming,
  });
  const { errorBody } = farmHttp("1.2.3");

  async function answer(route: Route, match: object, url: URL, who: Caller, body: unknown): Promise<RouteAnswer> {
    const { input, role } = route;
    if (role !== "public" && !roleAtLeast(effectiveRole(who), role)) {
      throw new SteadingError("ACCESS_DENIED", `This needs the role ${role}.`);
    }
    const check = (schema: Route["input"]["body"], given: unknown): unknown => {
      const result = schema?.safeParse(given);
      if (!result || result.success) return result?.data;
      throw invalidArguments("It", argumentProblems(result.error.issues, given, {}));
    };
    return route.handle(
      {
        params: check(input.params, { ...match }),
        query: check(input.query, Object.fromEntries(url.searchParams)),
        body: check(input.body, body),
      },
      { caller: who, isKnown: true, remoteAddress: "127.0.0.1", signal: new AbortController().signal, headers: {} },
    );
  }

  return {
    routes,
    logs,
    async call(method, path, { role = "operator", body } = {}) {
      const url = new URL(path, "http://farm.example");
      const found = routes
        .filter((route) => route.method === method)
        .flatMap((route) => {
          const groups = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`).exec(url.pathname);
          return groups ? [{ route, match: { ...groups.groups } }] : [];
        })
        // Where a word and a parameter both fit, the word is meant.
        .toSorted((a, b) => Object.keys(a.match).length - Object.keys(b.match).length)[0];
      if (!found) return toAnswer(404, { error: "Not Found" });
      try {
        const {
          status = 200,
          body: json = null,
          content,
        } = await answer(
          found.route,
          found.match,
          url,
          caller(role),
          body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as Json),
        );
        return toAnswer(status, json, content?.data.toString());
      } catch (thrown) {
        const error = asSteadingError(silentLog, "A route failed.", thrown);
        const { code, message, retryable, details } = error;
        const status = found.route.errorStatus?.(code) ?? 500;
        const told = { status, code, message, retryable, ...(details === undefined ? {} : { details }) };
        return toAnswer(status, errorBody?.(told));
      }
    },
  };
}
