import { arch, cpus, freemem, hostname, loadavg, platform, totalmem } from "node:os";
import type { JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { iso } from "../model/instant.ts";

/** What the hub says about itself besides the farm. */
export interface HubFacts {
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly armed: () => boolean;
  /** Where the data is; admins may know. */
  readonly databasePath?: string | undefined;
}

export function healthJson({ version }: HubFacts, now: number): JsonObject {
  return { status: "ok", database: "connected", timestamp: iso(now), version };
}

/** The place and the machine it runs on. */
export function systemInfo(
  facts: HubFacts,
  core: Pick<FarmCore, "field" | "now">,
  { isAdmin = false }: { readonly isAdmin?: boolean } = {},
): JsonObject {
  const { version, startedAt, armed } = facts;
  const now = core.now();
  const gateways = Object.values(core.field.gateways());
  const [total, free] = [totalmem(), freemem()];
  return {
    version,
    buildDate: null,
    releaseType: "stable",
    codename: "steading",
    node_version: process.version,
    platform: platform(),
    arch: arch(),
    hostname: hostname(),
    uptime: Math.max(0, Math.floor((now - startedAt) / 1_000)),
    startedAt: iso(startedAt),
    memory: { total, free, used: total - free },
    cpus: cpus().length,
    database: { connected: true, ...(isAdmin ? { path: facts.databasePath ?? null } : {}) },
    cpu: { count: cpus().length, load: loadavg().map((load) => Math.round(load * 100) / 100) },
    connectivity: {
      internet: "unknown",
      go2rtc: "unknown",
      mcp: "up",
      gateways: { total: gateways.length, connected: gateways.filter((connected) => connected).length },
    },
    armed: armed(),
    health: healthJson(facts, now),
  };
}
