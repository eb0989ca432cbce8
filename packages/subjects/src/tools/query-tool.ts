import { defineTool, type Tool } from "@steading/kernel";
import { guarded } from "./guard-handler.ts";
import { answerQuery } from "./query.ts";
import { QueryInput, QueryOutput } from "./tool-schemas.ts";
import type { Worlds } from "./tool-world.ts";

export function createQueryTool(worlds: Worlds): Tool {
  return defineTool({
    name: "query",
    title: "Browse subjects",
    summary:
      "Browse the tree of subjects, or find subjects by capability. List types first (list_types), then ask with filter.types " +
      "and depth 10. Children are recognised by $type; truncated answers carry a cursor.",
    input: QueryInput,
    output: QueryOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "query",
      (input, { caller }) => answerQuery(worlds.open(caller, input.snapshot_id), input),
    ),
  });
}
