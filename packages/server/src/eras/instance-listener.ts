import type { Server } from "@modelcontextprotocol/server";
import type { Listener } from "../changes/fan-out.ts";
import type { Window } from "../http/route.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { Identity } from "./identity.ts";

/** How one connected instance hears of changes. `subscriptions` undefined: the transport filters by itself. */
export function createInstanceListener({
  server,
  subscriptions,
  pages,
  identity,
  window,
}: {
  readonly server: Server;
  readonly subscriptions: ReadonlySet<string> | undefined;
  readonly pages: ToolPages;
  readonly identity: Identity;
  readonly window: Window;
}): Listener {
  let shown = pages.listFor(identity, window).fingerprint;
  // A connection that is just closing refuses the message; its close handler removes it from the fan-out.
  const ignore = (): void => {};
  return {
    toolsChanged() {
      const { fingerprint } = pages.listFor(identity, window);
      if (fingerprint === shown) return;
      shown = fingerprint;
      server.sendToolListChanged().catch(ignore);
    },
    promptsChanged: () => void server.sendPromptListChanged().catch(ignore),
    resourcesChanged: () => void server.sendResourceListChanged().catch(ignore),
    resourceUpdated(uri, meta) {
      if (subscriptions !== undefined && !subscriptions.has(uri)) return;
      server.sendResourceUpdated({ uri, ...(meta === undefined ? {} : { _meta: { ...meta } }) }).catch(ignore);
    },
  };
}
