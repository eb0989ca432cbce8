import type { Json } from "@steading/kernel";
import { isAt, joinSteps, stepsTo, type Place } from "./breadth-first.ts";
import type { Stop } from "./cursor.ts";
import { entrySize } from "./json-size.ts";
import { putOwn } from "./put-own.ts";

/** Places counted after the cut, to tell how many were left out. Beyond it the number is not cheap and is not given. */
const MAX_COUNTED_REST = 1_000;

export type NodeJson = Record<string, Json>;

/** A node and the length of its JSON, counted while it was made. */
export interface DrawnNode {
  readonly node: NodeJson;
  readonly size: number;
}

export interface AdmissionResult {
  /** Nested; a node whose parent was on an earlier page is keyed by its whole path below the start. */
  readonly subjects: NodeJson;
  /** Without the stubs of subjects that are shown elsewhere. */
  readonly subjectCount: number;
  readonly truncatedBy?: "subjects" | "size";
  readonly stop?: Omit<Stop, "question">;
  readonly omitted?: number;
}

export interface AdmissionOptions<S> {
  /** Called again when the place to continue after is gone. */
  places(): Iterable<Place<S>>;
  readonly limit: number;
  /** Characters that the admitted nodes may take together. No node is drawn larger than this. */
  readonly room: number;
  readonly after?: Omit<Stop, "question">;
  draw(place: Place<S>): DrawnNode;
}

/** Takes places in their order until the limit or the size budget bites. */
export function admit<S>(options: AdmissionOptions<S>): AdmissionResult {
  const rest = continueAfter(options);
  const page = new Map<Place<S>, NodeJson>();
  const subjects: NodeJson = {};
  let { room } = options;
  let subjectCount = 0;
  let last: Place<S> | undefined;

  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const place = next.value;
    if (!place.isRepeat && subjectCount >= options.limit) return cutBefore(place, "subjects");
    const { node, size: own } = options.draw(place);
    const parent = place.parent === null ? subjects : page.get(place.parent);
    const key = parent === undefined ? joinSteps("", stepsTo(place)) : place.step;
    const size = entrySize(key, own);
    // The first node of a page goes out in any case, or a reader could never get past it.
    if (size > room && page.size > 0) return cutBefore(place, "size");
    room -= size;
    page.set(place, node);
    putOwn(parent ?? subjects, key, node);
    if (!place.isRepeat) subjectCount++;
    last = place;
  }
  return { subjects, subjectCount };

  function cutBefore(place: Place<S>, truncatedBy: "subjects" | "size"): AdmissionResult {
    const steps = last === undefined ? (options.after?.steps ?? []) : stepsTo(last);
    const omitted = countRest(place, rest);
    const stop = { steps, admitted: (options.after?.admitted ?? 0) + page.size };
    return { subjects, subjectCount, truncatedBy, stop, ...(omitted === undefined ? {} : { omitted }) };
  }
}

/** How many subjects are left out: the place in hand and what follows. Undefined when counting them would be work. */
function countRest<S>(inHand: Place<S>, others: Iterator<Place<S>>): number | undefined {
  let omitted = inHand.isRepeat ? 0 : 1;
  for (let counted = 0; counted < MAX_COUNTED_REST; counted++) {
    const next = others.next();
    if (next.done === true) return omitted;
    if (!next.value.isRepeat) omitted++;
  }
  return undefined;
}

function continueAfter<S>({ places, after }: AdmissionOptions<S>): Iterator<Place<S>> {
  if (after === undefined || after.steps.length === 0) return places()[Symbol.iterator]();
  const found = places()[Symbol.iterator]();
  for (let next = found.next(); next.done !== true; next = found.next())
    if (isAt(next.value, after.steps)) return found;
  // The place is gone. Its position among the others is the best guess that is left.
  const counted = places()[Symbol.iterator]();
  for (let passed = 0; passed < after.admitted; passed++) if (counted.next().done === true) break;
  return counted;
}
