import type { Dispatcher, View } from "@steading/kernel";

/** `all`, `essential`, or a toolset's name. Undefined: there is no such toolset. */
export function readView(name: string, dispatcher: Pick<Dispatcher, "hasToolset">): View | undefined {
  if (name === "all" || name === "essential") return { kind: name };
  return dispatcher.hasToolset(name) ? { kind: "toolset", name } : undefined;
}
