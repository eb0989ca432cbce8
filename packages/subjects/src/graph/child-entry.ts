import { SlotInfo } from "../info/node-info.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import type { PathSpace } from "../paths/path-space.ts";
import { escapeText } from "../paths/path-text.ts";
import type { ChildEntry } from "./view.ts";

/** A child on the way through the graph. What is rarely asked for, its printed step above all, is made when it is. */
export class ListedChild implements ChildEntry {
  readonly subject: Subject;
  readonly key: string | number | null;
  readonly #space: PathSpace;
  readonly #node: Node;
  readonly #slot: number;

  constructor(space: PathSpace, node: Node, slot: number, key: string | number | null, subject: Subject) {
    this.subject = subject;
    this.key = key;
    this.#space = space;
    this.#node = node;
    this.#slot = slot;
  }

  get step(): string {
    return this.#space.step(this.#node, this.#slot, this.key);
  }

  get property(): PropertyInfo {
    return new SlotInfo(this.#space.reading, this.#node, this.#slot);
  }

  get name(): string | null {
    // An inline key may still need the name before it, when its own step means something else.
    if (this.#slot === this.#space.reading.layout(this.#node).inlineSlot && !this.step.endsWith("]")) return null;
    return this.#space.step(this.#node, this.#slot, null);
  }
}

/** The same as an item of a bare collection: `[7]`. */
export class ListedItem extends ListedChild {
  override get step(): string {
    return `[${escapeText(String(this.key))}]`;
  }

  override get name(): null {
    return null;
  }
}
