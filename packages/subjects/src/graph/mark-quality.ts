import { p } from "../define/p.ts";
import type { Node } from "../instance/node.ts";
import type { Dynamic } from "./dynamic.ts";
import type { Engine } from "./engine.ts";

/** `@quality` of a derived property: `error` while its getter throws. Comes into being with the first failure. */
export function markQuality(engine: Engine, dynamic: Dynamic, node: Node, slot: number, isFailing: boolean): void {
  const owner = node.layout.slot(slot).name;
  const at = node.layout.index.get(`${owner}@quality`);
  const value = isFailing ? "error" : "good";
  if (at === undefined) {
    if (isFailing) dynamic.addAttribute(node, owner, "quality", { property: p.string(), value });
  } else if (node.layout.slot(at).get === undefined) engine.commit(node, at, value, { origin: "local" });
}
