import type { Layout } from "./layout.ts";
import { Node } from "./node.ts";
import type { Subject } from "./subject.ts";

let readNode: (held: Held) => Node;
let holds: (value: object) => boolean;

/** Carries a subject's state where nobody can reach it by name, so that spreading or printing a subject shows none of it. */
export class Held {
  readonly #node: Node;

  static {
    readNode = (held) => held.#node;
    holds = (value) => #node in value;
  }

  constructor(layout: Layout) {
    // The accessors that make this a Subject are on the prototype of the class that extends it.
    this.#node = new Node(this as unknown as Subject, layout);
  }
}

export function nodeOf(subject: Subject): Node {
  // Every subject is made by a class that extends Held; `isSubject` guards the edges.
  return readNode(subject as unknown as Held);
}

export function isSubject(value: unknown): value is Subject {
  return typeof value === "object" && value !== null && holds(value);
}
