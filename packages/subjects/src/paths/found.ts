import { NodeInfo, type SlotInfo } from "../info/node-info.ts";
import type { PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { joinPath } from "./path-text.ts";
import type { PathSpace } from "./path-space.ts";

/** Where a walk along the steps of a path has come to, and the way there. */
export interface Place {
  readonly node: Node;
  /** Where it came from; undefined at the start, which has a printed path. */
  readonly from: Place | undefined;
  readonly slot: number;
  readonly key: string | number | null;
  readonly start: string;
}

export function startAt(node: Node, path: string): Place {
  return { node, from: undefined, slot: -1, key: null, start: path };
}

export function through(from: Place, child: Subject, slot: number, key: string | number | null): Place {
  return { node: nodeOf(child), from, slot, key, start: "" };
}

export function printPlace(space: PathSpace, place: Place): string {
  const steps: string[] = [];
  let at = place;
  while (at.from !== undefined) {
    steps.push(space.step(at.from.node, at.slot, at.key));
    at = at.from;
  }
  return steps.length === 0 ? at.start : joinPath(at.start, steps.reverse().join("/"));
}

/**
 * What was found. Paths are printed only when somebody looks: most callers want what is there, not how to write it.
 * Classes, because a getter in an object literal costs more than the whole walk.
 */
export class FoundSubject {
  readonly kind = "subject";
  readonly subject: SubjectInfo;
  readonly #space: PathSpace;
  readonly #place: Place;

  constructor(space: PathSpace, place: Place) {
    this.subject = new NodeInfo(space.reading, place.node);
    this.#space = space;
    this.#place = place;
  }
  get path(): string {
    return printPlace(this.#space, this.#place);
  }
}

export class FoundProperty {
  readonly kind = "property";
  readonly subject: SubjectInfo;
  readonly property: PropertyInfo;
  readonly #space: PathSpace;
  readonly #place: Place;
  readonly #slot: number;

  constructor(space: PathSpace, place: Place, slot: number, property: SlotInfo) {
    this.subject = new NodeInfo(space.reading, place.node);
    this.property = property;
    this.#space = space;
    this.#place = place;
    this.#slot = slot;
  }
  get path(): string {
    return joinPath(printPlace(this.#space, this.#place), this.#space.step(this.#place.node, this.#slot, null));
  }
}
