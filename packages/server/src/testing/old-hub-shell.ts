import { millis, minutes, seconds } from "@steading/kernel";
import type { ServerDeps } from "../server-deps.ts";
import { openEvents, type EventReader } from "./event-stream.ts";
import { send, type Posted } from "./post.ts";
import { startShell, type TestShell } from "./start-shell.ts";

/** A shell set up as the port that an older hub's clients know: one toolset, plain answers, sessions that give way. */
export function startOldHubShell(changes: Partial<ServerDeps> = {}): Promise<TestShell> {
  return startShell(
    {
      info: { name: "sensehub", version: "1.0.0" },
      ssePostAuth: "session",
      ssePath: "/mcp",
      sessionAnswers: "json",
      sessionsGiveWay: true,
      noticesPerSecond: 20,
      resourceUpdatedEvery: () => millis(0),
      refusalBody: ({ sentence }) => ({ error: "Unauthorized", message: sentence }),
      ...changes,
      limits: {
        sessions: 256,
        sessionsPerPrincipal: 64,
        sessionIdle: minutes(30),
        bodyBytes: 1_048_576,
        verifiedTokenAge: seconds(30),
        ...changes.limits,
      },
    },
    { serve: ["mcp:tests"] },
  );
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** As the client in the field does it: 2024-11-05, no version header, and always the same id. */
export function request(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 2, method, params });
}

export const notification = (method: string): string => JSON.stringify({ jsonrpc: "2.0", method });

export const initialize = (version = "2024-11-05"): string =>
  request("initialize", {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: "field-client", version: "1" },
  });

export interface OldSession {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly opened: Posted;
  ask(method: string, params?: object): Promise<Posted>;
  /** The session's own stream. */
  stream(headers?: Readonly<Record<string, string>>): Promise<EventReader>;
}

export async function openSession(at: TestShell, token = at.admin, version?: string): Promise<OldSession> {
  const opened = await send(at.mcp, initialize(version), bearer(token));
  const id = opened.headers.get("mcp-session-id") ?? "";
  const headers = { ...bearer(token), "mcp-session-id": id };
  return {
    id,
    headers,
    opened,
    ask: (method, params) => send(at.mcp, request(method, params), headers),
    stream: (more) => openEvents(at.mcp, { headers: { ...headers, accept: "text/event-stream", ...more } }),
  };
}

/** The old SSE transport, up to its first event. */
export async function openOldStream(
  at: TestShell,
  headers: Readonly<Record<string, string>> = bearer(at.admin),
): Promise<{ readonly events: EventReader; readonly first: string; readonly endpoint: URL }> {
  const events = await openEvents(at.mcp, { headers });
  const event = await events.next();
  if (event?.event !== "endpoint" || event.data === undefined) throw new Error("The first event is no endpoint");
  return { events, first: event.data, endpoint: new URL(event.data, at.mcp) };
}
