import type { ResourceShelf } from "../lists/resource-shelf.ts";
import { callerFor, type Identity } from "../eras/identity.ts";
import type { Screen } from "./line-transport.ts";

/**
 * The SDK answers `subscriptions/listen` on lines itself and acknowledges any URI to anybody; what the caller may not
 * read is taken out before it sees the request.
 */
export function createListenScreen({
  shelf,
  identity,
  most,
}: {
  readonly shelf: ResourceShelf;
  readonly identity: Identity;
  readonly most: number;
}): Screen {
  return (message) => {
    if (!("method" in message) || message.method !== "subscriptions/listen") return undefined;
    const filter = (message.params as { readonly notifications?: unknown } | undefined)?.notifications;
    const wished = (filter as { readonly resourceSubscriptions?: unknown } | undefined)?.resourceSubscriptions;
    if (!Array.isArray(wished) || !wished.every((uri) => typeof uri === "string")) return undefined;
    const caller = callerFor(identity);
    const checked = [...new Set(wished)]
      .slice(0, most)
      .map(async (uri) => ((await shelf.mayRead(uri, caller)) ? [uri] : []));
    return Promise.all(checked).then((readable) => ({
      ...message,
      params: { ...message.params, notifications: { ...(filter as object), resourceSubscriptions: readable.flat() } },
    }));
  };
}
