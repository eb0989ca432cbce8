import { defineTool, type Tool } from "@steading/kernel";
import { guarded } from "./guard-handler.ts";
import { answerSetProperty } from "./set-property.ts";
import { SetPropertyInput, SetPropertyOutput } from "./tool-schemas.ts";
import type { Worlds } from "./tool-world.ts";

export function createSetPropertyTool(worlds: Worlds): Tool {
  return defineTool({
    name: "set_property",
    title: "Write a property",
    summary:
      "Write one property. The answer says how far it is known to have got: applied (no device behind it), acknowledged (the " +
      "device said yes), confirmed (and it was read back), queued. Nothing changes when it fails.",
    input: SetPropertyInput,
    output: SetPropertyOutput,
    intent: "MUTATE",
    // Viewers see it too: the contract wants ACCESS_DENIED from it, and the mode reported before the role.
    minimumRole: "viewer",
    acceptsApproval: true,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "set_property",
      (input, context) => answerSetProperty(worlds.open(context.caller), input, context),
    ),
  });
}
