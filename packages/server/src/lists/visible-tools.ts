import { effectiveRole, type Caller, type Dispatcher, type Tool, type View } from "@steading/kernel";

/** What a caller sees of a view: by role, and within the toolsets of a narrowed token. In list order. */
export function visibleTools(
  dispatcher: Dispatcher,
  caller: Pick<Caller, "role" | "scope">,
  view: View,
): readonly Tool[] {
  const role = effectiveRole(caller as Caller); // reads role and scope only
  const tools = dispatcher.tools(view, role);
  const toolsets = caller.scope?.toolsets;
  if (toolsets === undefined) return tools;
  const within = new Set(toolsets.flatMap((name) => dispatcher.tools({ kind: "toolset", name }, role)));
  return tools.filter((tool) => within.has(tool));
}
