import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, Log, RouteFailure } from "@steading/kernel";
import type { StreamGuard } from "../auth/stream-guard.ts";
import type { EdgeCounters } from "../http/edge-counters.ts";
import { sendText } from "../http/respond.ts";
import type { UnfinishedBodies } from "../http/unfinished-bodies.ts";
import type { CallSeats } from "../limits/call-seats.ts";
import type { Metric } from "../metrics/metrics.ts";
import { describeRoutes } from "./openapi.ts";
import { pathOf } from "./path-table.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";
import { createRouteApp, type RouteApp } from "./route-app.ts";
import type { RouteGate } from "./route-caller.ts";
import { failureBody } from "./route-failure.ts";
import { ROUTE_LIMITS, type RouteLimits } from "./route-limits.ts";
import { createRouteSets, type RoutedPart, type RouteSet } from "./route-sets.ts";
import { createSocketGate } from "./socket-gate.ts";

/** Everything that parts want to be asked over HTTP and WebSockets. */
export interface PartRoutes {
  readonly sets: readonly RouteSet[];
  /** Which of these sets owns the address, with a route or by its prefix. */
  ownerOf(target: string, sets: readonly RouteSet[]): RouteSet | undefined;
  serve(req: IncomingMessage, res: ServerResponse, set: RouteSet): void;
  /** For a WebSocket whose Host and Origin were looked at. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, sets: readonly RouteSet[]): void;
  /** Before the first request. */
  ready(): Promise<void>;
  metrics(): readonly Metric[];
  close(): Promise<void>;
}

export function createPartRoutes({
  parts,
  gate,
  guard,
  seats,
  bodies,
  edge,
  clock,
  log,
  limits: given,
}: {
  readonly parts: readonly RoutedPart[];
  readonly gate: RouteGate;
  readonly guard: StreamGuard;
  readonly seats: CallSeats;
  readonly bodies: UnfinishedBodies;
  readonly edge: EdgeCounters;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<RouteLimits>;
}): PartRoutes {
  const limits = { ...ROUTE_LIMITS, ...given };
  const sets = createRouteSets(parts);
  const sockets = createSocketGate({ gate, guard, clock, log, limits });
  const answers = new Map<string, number>();
  const descriptions = new Map<RouteSet, string>();
  const apps = new Map<RouteSet, RouteApp>(
    sets.map((set) => {
      const onAnswer = (status: number): void => countAnswer(set, status);
      return [set, createRouteApp({ set, gate, seats, bodies, edge, clock, log, limits, onAnswer })];
    }),
  );

  function countAnswer({ name }: RouteSet, status: number): void {
    const key = `${name} ${Math.floor(status / 100)}xx`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }

  function describes({ http, isDefault }: RouteSet, path: string): boolean {
    return isDefault && http.openapi?.path === path;
  }

  function owns(set: RouteSet, path: string): boolean {
    return set.routesAt.find(path) !== undefined || describes(set, path);
  }

  function isBelow({ http: { prefix }, isDefault }: RouteSet, path: string): boolean {
    return isDefault && prefix !== undefined && (path === prefix || path.startsWith(`${prefix}/`));
  }

  function fail(res: ServerResponse, set: RouteSet, failure: RouteFailure, headers: Record<string, string> = {}): void {
    countAnswer(set, failure.status);
    sendText(res, failure.status, "application/json", failureBody(failure, set.http, log), headers);
  }

  function describe(res: ServerResponse, set: RouteSet): void {
    let text = descriptions.get(set);
    if (text === undefined) descriptions.set(set, (text = JSON.stringify(describeRoutes(set))));
    countAnswer(set, 200);
    sendText(res, 200, "application/json", text);
  }

  return {
    sets,
    ownerOf(target, served) {
      if (served.length === 0) return undefined;
      const path = pathOf(target);
      return served.find((set) => owns(set, path)) ?? served.find((set) => isBelow(set, path));
    },
    serve(req, res, set) {
      const path = pathOf(req.url ?? "/");
      const method = req.method === "HEAD" ? "GET" : req.method;
      const routes = set.routesAt.find(path);
      if (routes?.some((route) => route.method === method)) return apps.get(set)?.serve(req, res);
      if (describes(set, path) && method === "GET") return describe(res, set);
      if (!owns(set, path)) {
        return fail(res, set, {
          status: 404,
          code: "ROUTE_UNKNOWN",
          message: "There is nothing at this address.",
          retryable: false,
        });
      }
      const methods = [...(routes ?? []).map((route) => route.method), ...(describes(set, path) ? ["GET"] : [])];
      const Allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ");
      const message = `${String(req.method)} is not possible here; ${Allow} is.`;
      fail(res, set, { status: 405, code: "METHOD_NOT_ALLOWED", message, retryable: false }, { Allow });
    },
    upgrade(req, socket, head, served) {
      const path = pathOf(req.url ?? "/");
      for (const set of served) {
        const route = set.socketsAt.find(path)?.[0];
        if (route !== undefined) return sockets.upgrade({ req, socket, head, set, route });
      }
      refuseUpgrade(socket, req, 404, JSON.stringify({ error: "not_found" }));
    },
    ready: async () => void (await Promise.all([...apps.values()].map((app) => app.ready()))),
    metrics: () => [
      ...[...answers].map(([key]): Metric => {
        const [set = "", status = ""] = key.split(" ");
        return {
          name: "steading_route_answers_total",
          help: "Answers of the parts' own routes, by set and kind of status.",
          type: "counter",
          labels: { set, status },
          read: () => answers.get(key) ?? 0,
        };
      }),
      ...socketMetrics(() => sockets.counters),
    ],
    async close() {
      await sockets.close();
      await Promise.all([...apps.values()].map((app) => app.close()));
    },
  };
}

function socketMetrics(read: () => { opened: number; refused: number; slow: number; open: number }): readonly Metric[] {
  return [
    { name: "steading_sockets_open", help: "Open WebSockets.", type: "gauge", read: () => read().open },
    {
      name: "steading_sockets_opened_total",
      help: "WebSockets that were let in.",
      type: "counter",
      read: () => read().opened,
    },
    {
      name: "steading_sockets_refused_total",
      help: "WebSockets that were turned away.",
      type: "counter",
      read: () => read().refused,
    },
    {
      name: "steading_sockets_slow_total",
      help: "WebSockets that were cut because nobody read them.",
      type: "counter",
      read: () => read().slow,
    },
  ];
}
