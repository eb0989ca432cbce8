import type { Authenticated, Cancel, Clock, Log, Part } from "@steading/kernel";
import { createFarmEvents } from "../model/farm-events.ts";
import { createLiveDescriptions } from "../tools/live-descriptions.ts";
import { createResourceUpdates } from "../tools/resource-updates.ts";
import { createBridgeReads } from "./bridge-reads.ts";
import { createBridgeResources } from "./bridge-resources.ts";
import { createBridgeToolset } from "./bridge-toolset.ts";
import { createBridgeWrites } from "./bridge-writes.ts";
import { readCoreAddress } from "./core-address.ts";
import { createCoreClient } from "./core-client.ts";
import { createCoreHttp } from "./core-http.ts";
import { createCoreLists } from "./core-lists.ts";
import { createCoreReach } from "./core-reach.ts";
import { createCoreSessions } from "./core-sessions.ts";
import { createCoreSocket, ownSocket, type OpenSocket } from "./core-socket.ts";
import { createCoreView } from "./core-view.ts";
import { createCoreWatch } from "./core-watch.ts";
import { createDescribedCore } from "./described-core.ts";
import { createServiceLogin } from "./service-login.ts";

export interface FarmBridgeDeps {
  /** The core's base URL, such as `http://localhost:3000`. Throws a TypeError for anything that is none. */
  readonly url: string;
  /** For callers who have no login at the core. */
  readonly service?: { readonly email: string; readonly password: string } | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Names of equipment inside the tools' descriptions. Default true. */
  readonly liveDescriptions?: boolean | undefined;
  /** How the core's `/ws` is opened. Default: this Node's own WebSocket, where it has one; null: it is not used. */
  readonly openSocket?: OpenSocket | null | undefined;
}

export interface FarmBridge extends Part {
  /** Who a login token of the core stands for. Asks the core each time: the shell remembers, 30 s at most. */
  readonly authenticator: {
    authenticate(token: string): Promise<Authenticated | undefined>;
    onChange(listener: (principal?: string) => void): Cancel;
  };
  /** For `/health`: does the core answer, and how much equipment did it show last? */
  core(): { readonly connected: boolean; readonly equipment: number | undefined };
  /** What was asked, failed and let go, for the metrics. */
  counters(): Readonly<Record<string, number>>;
}

/** The farm's tools and resources in front of a SenseHub core that runs elsewhere. */
export function createFarmBridge(deps: FarmBridgeDeps): FarmBridge {
  const { url, service: account, clock, log, liveDescriptions: live = true } = deps;
  const address = readCoreAddress(url);
  const reach = createCoreReach({ shown: address.shown, log });
  const http = createCoreHttp({ address, clock });
  const sessions = createCoreSessions({ http, reach, clock, log });
  const service = createServiceLogin({ http, account, clock, log });
  const client = createCoreClient({ http, reach, sessions, service, clock });

  const events = createFarmEvents({ log });
  const described = createDescribedCore({ view: () => view, log });
  const view = createCoreView({ clock, events, onNames: () => described.namesSeen() });
  const lists = createCoreLists({ view, clock });
  const descriptions = createLiveDescriptions({ core: described.core, clock, live });
  const updates = createResourceUpdates({ events, clock });
  const watch = createCoreWatch({ client, lists, view, reach, clock, log });
  const open = deps.openSocket === undefined ? ownSocket() : deps.openSocket;
  const socket =
    open &&
    createCoreSocket({
      address,
      open,
      token: () => client.watchToken(),
      clock,
      log,
      onHint: (what) => watch.hint(what),
      onReading(id) {
        if (view.findEquipment(id)) events.emit({ kind: "reading", id, readings: [] });
        else watch.hint("equipment");
      },
      onLive: (isLive) => watch.toldBySocket(isLive),
    });

  const reads = createBridgeReads({ client, lists, view });
  const runs = { run: (id: number, change: "started" | "ended") => events.emit({ kind: "automation", change, id }) };
  const writes = createBridgeWrites({ client, view, events: runs });
  const { onChange } = sessions;

  async function authenticate(token: string): Promise<Authenticated | undefined> {
    const who = await sessions.authenticate(token);
    // The first login may be the first that the bridge can look with.
    if (who && view.equipmentCount === undefined) {
      for (const what of ["equipment", "zones", "automations", "alerts"] as const) watch.hint(what);
    }
    return who;
  }

  return {
    name: "farm",
    toolsets: [createBridgeToolset({ reads, writes, descriptions })],
    resources: [createBridgeResources({ client, lists, updates })],
    authenticator: { authenticate, onChange },
    core: () => ({ connected: reach.connected, equipment: view.equipmentCount }),
    counters: () => ({ ...http.counters, ...sessions.counters }),
    async start() {
      sessions.start();
      await watch.start();
      socket?.start();
    },
    stop() {
      socket?.stop();
      watch.stop();
      sessions.stop();
      descriptions.stop();
      updates.stop();
      http.close();
      return Promise.resolve();
    },
    health: () => reach.health(),
  };
}
