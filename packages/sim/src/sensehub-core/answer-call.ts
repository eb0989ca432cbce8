import { alertRoutes } from "./alert-routes.ts";
import { authRoutes } from "./auth-routes.ts";
import { automationRoutes } from "./automation-routes.ts";
import type { CoreKnobs } from "./core-knobs.ts";
import { matchRoute, refusal, type CoreAnswer } from "./core-route.ts";
import type { CoreSessions } from "./core-sessions.ts";
import type { CoreSite } from "./core-site.ts";
import { equipmentRoutes } from "./equipment-routes.ts";

const ROUTES = [...authRoutes, ...equipmentRoutes, ...automationRoutes, ...alertRoutes];
const RUBBISH = "<html><body>upstream says hello</body></html>";

export interface ArrivedCall {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  /** Undefined: too long. */
  readonly body: string | undefined;
  readonly site: CoreSite;
  readonly knobs: CoreKnobs;
  readonly sessions: CoreSessions;
  readonly now: number;
}

/** From what arrived to status and text: the whole of the reference but its sockets. */
export function answerCall(arrived: ArrivedCall): { readonly status: number; readonly text: string } {
  const { failWith, garbage } = arrived.knobs;
  if (failWith !== undefined) return asText(refusal(failWith, "Error", "The core was told to fail"));
  const answer = answered(arrived);
  return garbage ? { status: 200, text: RUBBISH } : asText(answer);
}

function asText({ status, body }: CoreAnswer): { readonly status: number; readonly text: string } {
  return { status, text: JSON.stringify(body) };
}

function answered({ method, url, authorization, body, ...rest }: ArrivedCall): CoreAnswer {
  const { pathname, searchParams: query } = new URL(url, "http://core");
  const bearer = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  const found = matchRoute(ROUTES, method, pathname);
  if (!found) return refusal(404, "Not Found", `Cannot ${method} ${pathname}`);
  const { route, ids } = found;
  const session = bearer === undefined ? undefined : rest.sessions.find(bearer);
  if (route.roles !== "open") {
    if (!session) return refusal(401, "Unauthorized", "Invalid or expired session");
    if (!route.roles.includes(session.user.role)) return refusal(403, "Forbidden", "Insufficient permissions");
  }
  if (body === undefined) return refusal(413, "Payload Too Large", "request entity too large");
  const parsed = asObject(body);
  if (!parsed) return refusal(400, "Bad Request", "Invalid JSON");
  return route.handle({ ...rest, ids, query, body: parsed, session, bearer });
}

function asObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
