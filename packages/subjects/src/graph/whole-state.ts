import type { Node } from "../instance/node.ts";
import { subjectError } from "../subject-error.ts";
import { valueAt } from "../instance/stored-value.ts";

/** Lets the type judge the state as it would be after these writes, all of them at once. */
export function checkWhole(node: Node, writes: ReadonlyMap<number, unknown>): void {
  const { validate, name } = node.layout.type;
  if (validate === undefined) return;
  const state: Record<string, unknown> = {};
  node.layout.slots.forEach((slot, i) => {
    if (slot === null || slot.get !== undefined || slot.attributeOf !== undefined) return;
    const value = writes.has(i) ? writes.get(i) : valueAt(node, i);
    Object.defineProperty(state, slot.name, { value, enumerable: true });
  });
  let objection: string | undefined | void;
  try {
    objection = validate(state);
  } catch (error) {
    objection = error instanceof Error ? error.message : "the values do not fit together";
  }
  if (typeof objection === "string") throw subjectError("VALIDATION_FAILED", `${name}: ${objection}`);
}
