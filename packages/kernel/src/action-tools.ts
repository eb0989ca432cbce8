import * as z from "zod";
import { actionJson, ActionJson } from "./action-json.ts";
import { defineTool } from "./define-tool.ts";
import type { Door } from "./door.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Toolset } from "./toolset.ts";

const MAX_LISTED = 200;

/** Tells what became of actions. */
export function createActionTools({ door }: { readonly door: Pick<Door, "action" | "actions"> }): Toolset {
  const getAction = defineTool({
    name: "get_action",
    title: "What became of an action",
    summary:
      "Tells how far an action got: requested, sent, acknowledged, observed, unknown or failed. The id is in every receipt.",
    input: z.object({ id: z.string().min(1).max(64).describe("The `action` of a receipt.") }),
    output: ActionJson,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler({ id }) {
      const action = door.action(id);
      if (!action) {
        throw kernelError(
          "ACTION_UNKNOWN",
          "There is no action with this id; it never was, or it is too old to be kept.",
        );
      }
      return actionJson(action);
    },
  });

  const listActions = defineTool({
    name: "list_actions",
    title: "Recent actions",
    summary: "Lists actions, newest first. With `in_doubt` only those of which nobody knows whether they took effect.",
    input: z.object({
      in_doubt: z.boolean().default(false),
      limit: z.number().int().min(1).max(MAX_LISTED).default(50),
    }),
    output: z.object({ actions: z.array(ActionJson), count: z.number(), cut: z.boolean() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler({ in_doubt: inDoubt, limit }) {
      const found = door.actions({ inDoubt, limit: limit + 1 });
      const actions = found.slice(0, limit).map(actionJson);
      return { actions, count: actions.length, cut: found.length > limit };
    },
  });

  return { name: "actions", tools: [getAction, listActions] };
}
