import type { Window } from "../http/route.ts";
import type { ToolList } from "../lists/tool-pages.ts";

/** The real name of a tool that the caller sees. Anything else is a stranger's word, which nobody is told. */
export function knownTool(list: ToolList, window: Window, given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const name = window.names === "safe" ? list.names.fromSafe(given) : given;
  return list.tools.has(name) ? name : undefined;
}
