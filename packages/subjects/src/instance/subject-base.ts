import type { Cancel } from "@steading/kernel";
import { NodeInfo } from "../info/node-info.ts";
import { UNATTACHED } from "../info/reading.ts";
import type { SubjectInfo } from "../info/subject-info.ts";
import { subjectError } from "../subject-error.ts";
import { childrenHandle } from "./children-handle.ts";
import { Held, nodeOf } from "./held.ts";
import { addListener } from "./listeners.ts";
import type { Listener, Node } from "./node.ts";
import { slotValue, writeSlot } from "./slot-access.ts";
import { idOf } from "./subject-id.ts";
import type { ChildrenHandle, Subject } from "./subject.ts";

/** What every subject has beside its own properties. */
export class SubjectBase extends Held {
  get $id(): string {
    return idOf(nodeOf(this.#self()));
  }
  get $type(): string {
    return this.#node().layout.type.name;
  }
  get $path(): string | null {
    const node = this.#node();
    return node.core?.pathOf(node) ?? null;
  }
  get $info(): SubjectInfo {
    const node = this.#node();
    return node.core?.infoOf(node) ?? new NodeInfo(UNATTACHED, node);
  }
  get $graph(): object | null {
    return this.#node().core?.graph ?? null;
  }
  $on(property: string, listener: Listener): Cancel {
    const node = this.#node();
    return addListener(node, slotNamed(node, property), listener);
  }
  $get(property: string): unknown {
    const node = this.#node();
    return slotValue(node, slotNamed(node, property));
  }
  $set(property: string, value: unknown): void {
    const node = this.#node();
    writeSlot(node, slotNamed(node, property), value);
  }
  $children(property: string): ChildrenHandle {
    const node = this.#node();
    return childrenHandle(node, slotNamed(node, property));
  }

  #self(): Subject {
    return this as unknown as Subject; // the accessors of its type are on the prototype
  }
  #node(): Node {
    return nodeOf(this.#self());
  }
}

export function slotNamed(node: Node, name: string): number {
  const slot = node.layout.index.get(name);
  if (slot === undefined) throw subjectError("PATH_NOT_FOUND", `${node.layout.type.name} has no property ${name}.`);
  return slot;
}
