import { join } from "node:path";
import { createFarmBridge, createFarmPart, type FarmPart } from "@steading/farm";
import { millis, SteadingError, type Clock, type Log, type Part, type Route } from "@steading/kernel";
import type { Authenticator } from "@steading/server";
import type { Graph } from "@steading/subjects";
import type { FarmCredentials } from "../settings/farm-environment.ts";
import type { FarmSettings } from "../settings/farm-settings.ts";
import type { Arming } from "./arming.ts";
import { eitherOf, withStaticKey } from "./farm-authenticator.ts";
import { createFarmBackups } from "./farm-backups.ts";
import type { Core } from "./open-core.ts";

/** The farm as the hub sees it, whether it is its own or stands in front of somebody else's. */
export interface HubFarm {
  /** It counts, for `/metrics`. */
  readonly part: Part & { counters(): object };
  /** Absent when the farm's core runs elsewhere. */
  readonly core?: FarmPart["core"];
  /** Who may use the farm's own port. */
  readonly authenticator: Authenticator;
  backend(): { readonly connected: boolean; readonly equipment: number | undefined };
}

export interface HubFarmDeps {
  readonly core: Core;
  /** The data directory. */
  readonly data: string;
  readonly arming: Arming;
  readonly settings: FarmSettings;
  readonly credentials?: FarmCredentials | undefined;
  readonly graph: Graph;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

export function createHubFarm(deps: HubFarmDeps): HubFarm {
  const { apiKey } = deps.credentials ?? {};
  const farm = deps.settings.bridge ? bridged(deps, deps.settings.bridge.url) : embedded(deps);
  return apiKey ? { ...farm, authenticator: withStaticKey(farm.authenticator, apiKey) } : farm;
}

/** Its accounts, door, history and arming are the hub's own. */
function embedded({ core, data, arming, settings, graph, clock, log, version }: HubFarmDeps): HubFarm {
  const { door, journal, store, reception, accounts, desk } = core;
  const { ledger, history } = store;
  const part = createFarmPart({
    graph,
    door,
    journal,
    ledger,
    history,
    reception,
    clock,
    log,
    version,
    armed: () => arming.held() === undefined,
    storage: () => store.health(),
    userIdOf: (principal) => accounts.find(principal)?.id,
    nameOf: (principal) => accounts.find(principal)?.displayName ?? principal,
    liveDescriptions: settings.liveDescriptions,
    api: {
      accounts,
      desk,
      sessionTimeout: millis(settings.sessionTimeoutMs),
      databasePath: join(data, "state.db"),
      arming,
      backups: createFarmBackups({ data, store, journal, clock }),
    },
  });
  return {
    part: { ...part, routes: (part.routes ?? []).map(withoutSetup), counters: () => countersOf(part) },
    core: part.core,
    authenticator: accounts,
    backend: () => ({ connected: true, equipment: part.core.book.list().length }),
  };
}

/**
 * A hub makes its first account itself, right after it listens. In between nobody else may: whoever was quick enough would
 * own the place.
 */
function withoutSetup(route: Route): Route {
  if (route.path !== "/api/auth/setup") return route;
  return {
    ...route,
    handle: () =>
      Promise.reject(
        new SteadingError("BAD_INPUT", "This hub made its first account itself; add others with `steading user add`."),
      ),
  };
}

/** In front of a core that runs elsewhere: its logins count, and everything is asked of it. */
function bridged({ core, settings, credentials, clock, log }: HubFarmDeps, url: string): HubFarm {
  const { liveDescriptions } = settings;
  const bridge = createFarmBridge({ url, service: credentials?.service, clock, log, liveDescriptions });
  return {
    part: bridge,
    // The hub's own first: a token of its own is nothing that another core should ever see.
    authenticator: eitherOf(core.accounts, bridge.authenticator),
    backend: () => bridge.core(),
  };
}

/** The farm keeps the readings of its measurements itself, with the durability that each way in asks for. */
export function keepsItsOwnPast(subject: { readonly $info: { readonly type: string } }): boolean {
  return subject.$info.type === "steading.farm.Measurement";
}

/** Over all gateways together: an address is a value of the place, which no metric may tell. */
function countersOf({ core: { field, readings } }: FarmPart): object {
  const { gateways, polling } = field.counters();
  const bus: Record<string, number> = {};
  for (const each of Object.values(gateways)) {
    for (const [name, count] of Object.entries<number>({ ...each })) bus[name] = (bus[name] ?? 0) + count;
  }
  return { devices: polling.devices, polling: { ...polling, devices: undefined }, bus, readings: readings.counters() };
}
