import type { Server, ServerCapabilities, ServerOptions } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import { UI_EXTENSION } from "../apps/app-page.ts";
import type { Window } from "../http/route.ts";
import { addTaskMethods } from "../tasks/task-methods.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { TASKS_EXTENSION } from "../tasks/tasks-extension.ts";
import type { RequestWatch } from "../traces/request-watch.ts";
import { watchInstance } from "../traces/watch-instance.ts";
import { createGuarded } from "./guarded.ts";
import type { Identity } from "./identity.ts";
import { addPromptMethods, type PromptMethodsDeps } from "./prompt-methods.ts";
import { addResourceMethods, addSubscriptionMethods, type ResourceMethodsDeps } from "./resource-methods.ts";
import { ShellServer } from "./shell-server.ts";
import { addToolMethods, type ToolMethodsDeps } from "./tool-methods.ts";

export interface Instance {
  readonly era: "modern" | "legacy";
  /** Who opened the connection; a request with credentials of its own overrules it. */
  readonly identity: Identity;
  readonly window: Window;
  /** The 2025 era's subscriptions; absent where the era or the transport has none. */
  readonly subscriptions?: Set<string>;
}

/** Makes one protocol instance over the shared registries. Cheap, and without side effects: a probe may throw it away. */
export type BuildInstance = (instance: Instance) => Server;

export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
}

const CACHE_HINTS: NonNullable<ServerOptions["cacheHints"]> = {
  "server/discover": { ttlMs: 300_000, cacheScope: "public" },
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  "prompts/list": { ttlMs: 60_000, cacheScope: "public" },
  "resources/templates/list": { ttlMs: 60_000, cacheScope: "public" },
  "resources/list": { ttlMs: 5_000, cacheScope: "private" },
};

export function createInstanceBuilder({
  info,
  instructions,
  logging,
  tasks,
  watch,
  log,
  ...registries
}: {
  readonly info: ServerInfo;
  readonly instructions: string;
  /** For deployments whose 2025 clients use `logging/setLevel`. */
  readonly logging: boolean;
  readonly tasks: TaskStore;
  readonly watch: RequestWatch;
  readonly log: Log;
} & Omit<ToolMethodsDeps & ResourceMethodsDeps & PromptMethodsDeps, "guarded">): BuildInstance {
  const capabilities: ServerCapabilities = {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    ...(logging && { logging: {} }),
    extensions: { [UI_EXTENSION]: {}, [TASKS_EXTENSION]: {} },
  };
  const options: ServerOptions = {
    capabilities,
    instructions,
    cacheHints: CACHE_HINTS,
    inputRequired: { maxRounds: 4, roundTimeoutMs: 120_000 },
    requestState: { verify: registries.state.verify },
  };
  const deps = { ...registries, guarded: createGuarded(log) };

  return ({ era, identity, window, subscriptions }) => {
    const server = new ShellServer(info, options);
    server.watch = watchInstance({ watch, pages: registries.pages, era, identity, window });
    server.onerror = (error) => log.debug("A client's message could not be served.", { reason: error.message });
    addToolMethods(server, identity, window, era, deps);
    addResourceMethods(server, identity, deps);
    addPromptMethods(server, identity, deps);
    if (subscriptions !== undefined) addSubscriptionMethods(server, identity, subscriptions, deps);
    if (era === "modern") addTaskMethods(server, tasks, identity);
    return server;
  };
}
