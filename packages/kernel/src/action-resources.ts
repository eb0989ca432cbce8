import { actionJson } from "./action-json.ts";
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
    templates: [{ uriTemplate: `${PREFIX}{id}`, name: "action", description: "What became of an action." }],
    list(_caller, { after, limit }) {
      const all = door.actions({ limit: LISTED });
      const start = after === undefined ? 0 : all.findIndex(({ id }) => PREFIX + id === after) + 1;
      return all.slice(start, start + limit).map(({ id, summary }) => ({
        uri: PREFIX + id,
        name: id,
        title: summary,
        mimeType: "application/json",
      }));
    },
    async read(uri) {
      if (!uri.startsWith(PREFIX)) return undefined;
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
