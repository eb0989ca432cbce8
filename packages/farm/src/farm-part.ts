import {
  hours,
  type AccountDesk,
  type Accounts,
  type Door,
  type Duration,
  type Health,
  type Part,
} from "@steading/kernel";
import type { Graph, SourceHandle } from "@steading/subjects";
import type { ArmingPort, BackupPort } from "./api/api-deps.ts";
import { createFarmRoutes } from "./api/farm-api.ts";
import { farmHttp } from "./api/farm-http.ts";
import { createFarmSocket } from "./api/farm-socket.ts";
import { createFarmSource } from "./graph/farm-source.ts";
import { createFarmCore, type FarmCore, type FarmCoreDeps } from "./model/farm-core.ts";
import { createLogPages } from "./model/log-pages.ts";
import { createRetention } from "./model/retention.ts";
import { createStorageAlert } from "./model/storage-alert.ts";
import { createFarmResources } from "./tools/farm-resources.ts";
import { createFarmToolset } from "./tools/farm-toolset.ts";
import { createLiveDescriptions } from "./tools/live-descriptions.ts";
import { createResourceUpdates } from "./tools/resource-updates.ts";

export interface FarmPartDeps extends FarmCoreDeps {
  readonly graph: Graph;
  readonly door: Door;
  /** The product's version. */
  readonly version: string;
  /** False after a restore or an emergency stop. Default: always armed. */
  readonly armed?: (() => boolean) | undefined;
  /** How the hub's disk is doing. Where it takes nothing there is a critical alert. Default: nobody looks. */
  readonly storage?: (() => Health) | undefined;
  /** Names of equipment inside the tools' descriptions. Default true. */
  readonly liveDescriptions?: boolean | undefined;
  /** For REST and its WebSocket; without them the part has neither. */
  readonly api?:
    | {
        readonly accounts: Accounts;
        readonly desk: AccountDesk;
        /** How long a login lasts. Default 8 h. */
        readonly sessionTimeout?: Duration | undefined;
        /** Where the data is, for the pages that only admins see. */
        readonly databasePath?: string | undefined;
        /** Without it `stop-all` cannot disarm, and says so. */
        readonly arming?: ArmingPort | undefined;
        /** Without it backup and restore answer that they are not there. */
        readonly backups?: BackupPort | undefined;
      }
    | undefined;
}

export interface FarmPart extends Part {
  /** For the composition root: importing rows, and the demo's equipment. */
  readonly core: FarmCore;
}

const MOUNT = "/farm";

/** The farm: equipment on Modbus, zones, readings, alerts and automations, below `/farm`. */
export function createFarmPart(deps: FarmPartDeps): FarmPart {
  const { graph, clock, version, armed = () => true, liveDescriptions: live = true } = deps;
  const logs = createLogPages(deps);
  const core = createFarmCore({ ...deps, log: logs.log });
  const { book, field } = core;
  const retention = createRetention({ ...core, clock, log: logs.log });
  const { storage } = deps;
  const storageAlert = storage && createStorageAlert({ health: storage, alerts: core.alerts, clock, log: logs.log });
  const descriptions = createLiveDescriptions({ core, clock, live });
  const updates = createResourceUpdates({ events: core.events, clock });
  const { accounts, desk, sessionTimeout = hours(8), databasePath, arming, backups } = deps.api ?? {};
  const facts = { version, startedAt: clock.now(), armed, databasePath };
  const socket = accounts && createFarmSocket({ core, accounts, clock });
  const routes =
    accounts && desk
      ? createFarmRoutes({ core, facts, door: deps.door, clock, accounts, desk, sessionTimeout, logs, arming, backups })
      : undefined;
  let handle: SourceHandle | undefined;

  return {
    name: "farm",
    core,
    toolsets: [createFarmToolset({ core, facts, descriptions })],
    resources: [createFarmResources({ core, updates })],
    ...(routes && { routes, http: farmHttp(version) }),
    ...(socket && { sockets: [socket.route] }),
    async start(signal) {
      if (handle) return;
      handle = graph.addSource("farm", createFarmSource(core), { mount: MOUNT });
      await handle.start(signal);
      field.start();
      retention.start();
      storageAlert?.start();
      core.watchdog.start();
    },
    async stop() {
      const stopping = handle;
      handle = undefined;
      retention.stop();
      storageAlert?.stop();
      descriptions.stop();
      updates.stop();
      socket?.stop();
      await core.watchdog.stop();
      await field.stop();
      await stopping?.stop();
    },
    health(): Health {
      // Only what we ask ourselves can fail to answer; who posts readings does so when they like.
      const all = book.list().filter((each) => each.enabled && !each.write_only && field.busOf(each) !== undefined);
      const away = all.filter(({ id }) => ["error", "offline"].includes(book.state(id).status));
      if (away.length === 0) return { status: "ok" };
      return { status: "degraded", reason: `${away.length} of ${all.length} devices do not answer.` };
    },
  };
}
