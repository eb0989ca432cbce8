import { roleAtLeast, type Role } from "./caller.ts";
import type { View } from "./dispatcher.ts";
import type { Log } from "./log.ts";
import type { Tool } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

/** Addresses of their own under `/mcp/`; a toolset of that name could never be reached. */
const RESERVED = ["all", "essential", "messages"];

export interface ListedTool {
  readonly tool: Tool;
  readonly toolset: Toolset;
}

/** All tools there are, in list order. Made anew whenever a toolset says that it has changed. */
export interface ToolTable {
  find(name: string, view: View): ListedTool | undefined;
  /** What a role sees in a view. The same array for as long as the table lives. */
  list(view: View, role: Role): readonly Tool[];
}

export function checkToolsets(toolsets: readonly Toolset[]): void {
  const names = new Set<string>();
  const tools = new Map<string, string>();
  for (const { name, tools: own } of toolsets) {
    if (RESERVED.includes(name)) throw new TypeError(`A toolset cannot be called ${name}: that address is taken.`);
    if (names.has(name)) throw new TypeError(`There are two toolsets called ${name}.`);
    names.add(name);
    for (const tool of own) {
      const other = tools.get(tool.name);
      if (other !== undefined) throw new TypeError(`The tool ${tool.name} is in ${other} and in ${name}.`);
      tools.set(tool.name, name);
    }
  }
}

export function createToolTable({
  toolsets,
  log,
}: {
  readonly toolsets: readonly Toolset[];
  readonly log: Log;
}): ToolTable {
  const byName = new Map<string, ListedTool>();
  for (const toolset of toolsets) {
    for (const tool of toolset.tools) {
      // Toolsets may change while the hub runs; the one that had the name first keeps it.
      if (byName.has(tool.name)) log.warn("Two toolsets have a tool of the same name.", { tool: tool.name });
      else byName.set(tool.name, { tool, toolset });
    }
  }
  const position = new Map(toolsets.map((toolset, i) => [toolset, i]));
  const placeOf = (toolset: Toolset): number => position.get(toolset) ?? 0;
  const ordered = [...byName.values()].toSorted(
    (a, b) =>
      Number(b.tool.essential) - Number(a.tool.essential) ||
      placeOf(a.toolset) - placeOf(b.toolset) ||
      (a.tool.name < b.tool.name ? -1 : 1),
  );
  const lists = new Map<string, readonly Tool[]>();

  return {
    find(name, view) {
      const found = byName.get(name);
      return found && inView(found, view) ? found : undefined;
    },
    list(view, role) {
      const key = `${role} ${view.kind} ${view.kind === "toolset" ? view.name : ""}`;
      const listed = lists.get(key);
      if (listed) return listed;
      const seen = ordered.filter(
        (each) => inView(each, view) && isOffered(each.toolset, log) && roleAtLeast(role, each.tool.minimumRole),
      );
      const list = Object.freeze(seen.map(({ tool }) => tool));
      // Views of toolsets that do not exist are not worth remembering; their number has no bound.
      if (list.length > 0) lists.set(key, list);
      return list;
    },
  };
}

/** Switched on, and the thing behind it is there. A provider that cannot tell is not there. */
export function isOffered(toolset: Toolset, log: Log): boolean {
  if (toolset.flag?.on === false) return false;
  try {
    return toolset.provider?.() ?? true;
  } catch (error) {
    log.error("A provider could not tell whether it is there.", error, { toolset: toolset.name });
    return false;
  }
}

function inView({ tool, toolset }: ListedTool, view: View): boolean {
  switch (view.kind) {
    case "all":
      return true;
    case "essential":
      return tool.essential;
    case "toolset":
      return toolset.name === view.name;
  }
}
