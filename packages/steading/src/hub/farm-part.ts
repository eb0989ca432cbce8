import type { Clock, Log } from "@steading/kernel";
import { millis } from "@steading/kernel";
import { createFarmPart, type FarmPart } from "@steading/farm";
import type { Graph } from "@steading/subjects";
import type { FarmSettings } from "../settings/farm-settings.ts";
import type { Core } from "./open-core.ts";

/** The farm keeps the readings of its measurements itself, with the durability that each way in asks for. */
export function keepsItsOwnPast(subject: { readonly $info: { readonly type: string } }): boolean {
  return subject.$info.type === "steading.farm.Measurement";
}

/** A farm that counts, for `/metrics`. */
export interface HubFarm extends FarmPart {
  counters(): object;
}

/** The farm of this hub: its accounts, door, history and arming are the hub's own. */
export function createHubFarm({
  core,
  settings,
  graph,
  clock,
  log,
  version,
}: {
  readonly core: Core;
  readonly settings: FarmSettings;
  readonly graph: Graph;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}): HubFarm {
  const { door, journal, store, reception, accounts, desk, arming } = core;
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
    nameOf: (principal) => accounts.find(principal)?.displayName ?? principal,
    liveDescriptions: settings.liveDescriptions,
    api: { accounts, desk, sessionTimeout: millis(settings.sessionTimeoutMs) },
  });
  return { ...part, counters: () => countersOf(part) };
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
