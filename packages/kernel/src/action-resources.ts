import { actionJson } from "./action-json.ts";
import type { Caller } from "./caller.ts";
import type { Door } from "./door.ts";
import type { Journal } from "./journal.ts";
import type { ResourceProvider } from "./part.ts";

const PREFIX = "steading://actions/";
const LISTED = 1_000;

/** `steading://actions/<id>`: the same as `get_action` tells, for hosts that watch. */
export function createActionResources({
  door,
  journal,
}: {
  readonly door: Pick<Door, "action" | "actions">;
  /** Tells when an action changes; without it nobody is notified. */
  readonly journal?: Pick<Journal, "onRecord">;
}): ResourceProvider {
  return {
    scheme: "steading",
    toolset: "actions",
    templates: [{ uriTemplate: `${PREFIX}{id}`, name: "action", description: "What became of an action." }],
    list(caller, { after, limit }) {
      if (isForSomePlaces(caller)) return [];
      const all = door.actions({ limit: LISTED });
      const start = after === undefined ? 0 : all.findIndex(({ id }) => PREFIX + id === after) + 1;
      return all.slice(start, start + limit).map(({ id, summary }) => ({
        uri: PREFIX + id,
        name: id,
        title: summary,
        mimeType: "application/json",
      }));
    },
    async read(uri, caller) {
      if (!uri.startsWith(PREFIX) || isForSomePlaces(caller)) return undefined;
      const action = door.action(uri.slice(PREFIX.length));
      return action && { uri, mimeType: "application/json", text: JSON.stringify(actionJson(action)) };
    },
    onUpdated(listener) {
      const cancel = journal?.onRecord("audit", ({ kind, data }) => {
        if (kind === "effect.ended" && typeof data["action"] === "string") listener(PREFIX + data["action"]);
      });
      return () => cancel?.();
    },
  };
}

/** What an action was done to is no place in the graph, so such a token could not be told its own from others'. */
function isForSomePlaces({ scope }: Caller): boolean {
  return scope?.pathPrefixes !== undefined;
}
