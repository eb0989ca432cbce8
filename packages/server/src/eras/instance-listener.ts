import type { Server } from "@modelcontextprotocol/server";
import type { Listener } from "../changes/fan-out.ts";
import type { MakePaced } from "../changes/paced.ts";
import type { Window } from "../http/route.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { Identity } from "./identity.ts";

export interface InstanceListener extends Listener {
  /** There is no stream to tell anything on: the last update of each resource is kept. */
  pause(): void;
  resume(): void;
  stop(): void;
}

/** How one connected instance hears of changes. `subscriptions` undefined: the transport filters by itself. */
export function createInstanceListener({
  server,
  subscriptions,
  pages,
  paced,
  paused = false,
  identity,
  window,
}: {
  readonly server: Server;
  readonly subscriptions: ReadonlySet<string> | undefined;
  readonly pages: ToolPages;
  readonly paced: MakePaced;
  readonly paused?: boolean;
  readonly identity: Identity;
  readonly window: Window;
}): InstanceListener {
  let shown = pages.listFor(identity, window).fingerprint;
  // A connection that is just closing refuses the message; its close handler removes it from the fan-out.
  const ignore = (): void => {};
  const pace = paced<() => Promise<void>>({ paused, send: (tell) => void tell().catch(ignore) });
  let pausing = paused;
  /** Lists are not kept: who opens a stream looks at them first. */
  function tellList(kind: string, tell: () => Promise<void>): void {
    if (pausing) tell().catch(ignore);
    else pace.say(kind, tell);
  }
  const wants = (uri: string): boolean => subscriptions === undefined || subscriptions.has(uri);
  return {
    toolsChanged() {
      const { fingerprint } = pages.listFor(identity, window);
      if (fingerprint === shown) return;
      shown = fingerprint;
      tellList("tools", () => server.sendToolListChanged());
    },
    promptsChanged: () => tellList("prompts", () => server.sendPromptListChanged()),
    resourcesChanged: () => tellList("resources", () => server.sendResourceListChanged()),
    resourceUpdated(uri, meta) {
      if (!wants(uri)) return;
      const params = { uri, ...(meta === undefined ? {} : { _meta: { ...meta } }) };
      // Asked again when its turn comes: a client that left a resource meanwhile wants no more of it.
      pace.say(uri, async () => (wants(uri) ? server.sendResourceUpdated(params) : undefined));
    },
    pause() {
      pausing = true;
      pace.pause();
    },
    resume() {
      pausing = false;
      pace.resume();
    },
    stop: () => pace.stop(),
  };
}
