import type { IncomingMessage, ServerResponse } from "node:http";
import type { EdgeCounters } from "../http/edge-counters.ts";
import type { HostAndOriginCheck } from "../http/host-and-origin.ts";
import type { ListenAt, OnUpgrade } from "../http/http-listener.ts";
import { createRoutes, type RouteOf } from "../http/route.ts";
import type { PartRoutes } from "./part-routes.ts";
import { serveWithoutUpgrade } from "./plain-upgrade.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";
import { readServed, SERVE_ALL } from "./served.ts";

/** How one listener answers: what it is to serve decides which addresses are there. */
export function createListenerWork({
  at: { serve = SERVE_ALL, setting = "listen[].port" },
  parts,
  check,
  edge,
  hasToolset,
  onRequest,
}: {
  readonly at: Pick<ListenAt, "serve" | "setting">;
  readonly parts: PartRoutes;
  readonly check: HostAndOriginCheck;
  readonly edge: EdgeCounters;
  hasToolset(name: string): boolean;
  onRequest(req: IncomingMessage, res: ServerResponse, routeOf: RouteOf): void;
}): { onRequest(req: IncomingMessage, res: ServerResponse): void; readonly onUpgrade: OnUpgrade | undefined } {
  const served = readServed({
    serve,
    sets: parts.sets,
    hasView: (name) => name === "essential" || hasToolset(name),
    setting: setting.replace(/\.port\b.*$/, ".serve"),
  });
  const { sets } = served;
  /** These were asked for by name, and may have an address that the hub has as well. */
  const named = sets.filter(({ isDefault }) => !isDefault);
  const ofHub = createRoutes({ hasToolset, served });

  const routeOf: RouteOf = (target) => {
    const first = parts.ownerOf(target, named);
    const hub = first === undefined ? ofHub(target) : undefined;
    if (hub !== undefined && hub.kind !== "none") return hub;
    const set = first ?? parts.ownerOf(target, sets);
    return set === undefined ? { kind: "none" } : { kind: "part", serve: (req, res) => parts.serve(req, res, set) };
  };

  const onUpgrade: OnUpgrade = (req, socket, head, again) => {
    if (req.headers.upgrade?.toLowerCase() !== "websocket") return serveWithoutUpgrade(req, socket, head, again);
    const refusal = check.refusal(req);
    if (refusal !== undefined) {
      edge.count("guard");
      return refuseUpgrade(socket, req, 403, JSON.stringify({ error: refusal }));
    }
    parts.upgrade(req, socket, head, sets);
  };

  return {
    onRequest: (req, res) => onRequest(req, res, routeOf),
    onUpgrade: sets.some(({ sockets }) => sockets.length > 0) ? onUpgrade : undefined,
  };
}
