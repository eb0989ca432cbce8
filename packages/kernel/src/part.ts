import type { Caller, Role } from "./caller.ts";
import type { Cancel } from "./clock.ts";
import type { JsonObject } from "./json.ts";
import type { MqttClaim } from "./part-mqtt.ts";
import type { PartHttp, Route } from "./part-route.ts";
import type { SocketRoute } from "./part-socket.ts";
import type { Captured } from "./snapshot.ts";
import type { Toolset } from "./toolset.ts";

/** Honest and cheap: read from memory, never by asking a device. */
export interface Health {
  readonly status: "ok" | "degraded" | "down";
  /** One sentence for people when it is not `ok`. */
  readonly reason?: string;
}

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Documents under one URI scheme and prefix, with change notices. */
export interface ResourceProvider {
  readonly scheme: string;
  /** The toolset that tells the same. A token for other toolsets sees none of it; without a name, none does. */
  readonly toolset?: string;
  list(caller: Caller, page: { readonly after?: string; readonly limit: number }): readonly ResourceInfo[];
  readonly templates?: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly description?: string;
  }[];
  /** Undefined: there is nothing at this URI, or not for this caller. */
  read(uri: string, caller: Caller): Promise<ResourceContent | undefined>;
  /**
   * Calls back with the URI whenever a resource that was read or subscribed changes. `meta` says why, for the notice's
   * `_meta`; of several changes that become one notice the last one's is told.
   */
  onUpdated?(listener: (uri: string, meta?: JsonObject) => void): Cancel;
  onListChanged?(listener: () => void): Cancel;
}
export interface ResourceInfo {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly minimumRole?: Role;
}

/** What every source of things looks like to the rest. A factory only remembers; `start` begins, `stop` ends, both may be called twice. */
export interface Part {
  readonly name: string;
  readonly toolsets: readonly Toolset[];
  readonly resources?: readonly ResourceProvider[];
  /** HTTP, as data: the server makes handlers and OpenAPI from it. */
  readonly routes?: readonly Route[];
  /** How those answer what is not theirs to answer: limits, errors, description. */
  readonly http?: PartHttp;
  /** WebSocket upgrades it wants. */
  readonly sockets?: readonly SocketRoute[];
  /** Which clients of the shared MQTT port it wants. */
  readonly mqtt?: readonly MqttClaim[];
  /** Its share of a snapshot: cheap, and later changes do not show in it. */
  capture?(): Captured;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  health(): Health;
}
