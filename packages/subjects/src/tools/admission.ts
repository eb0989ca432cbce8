import type { Json } from "@steading/kernel";
import { isAt, stepsTo, type Place } from "./breadth-first.ts";
import type { Stop } from "./cursor.ts";
import { entrySize, jsonSize } from "./json-size.ts";

/** Places counted after the cut, to tell how many were left out. Beyond it the number is not cheap and is not given. */
const MAX_COUNTED_REST = 2_000;

export type NodeJson = Record<string, Json>;

export interface Admitted<S> {
  readonly place: Place<S>;
  readonly node: NodeJson;
}

export interface AdmissionResult<S> {
  readonly admitted: readonly Admitted<S>[];
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
  /** Characters that the admitted nodes may take. */
  readonly room: number;
  readonly after?: Omit<Stop, "question">;
  /** `room` is what is left: a node that is alone on its page must fit into it or the reader could never go on. */
  draw(place: Place<S>, room: number): NodeJson;
}

/** Takes places in their order until the limit or the size budget bites. */
export function admit<S>(options: AdmissionOptions<S>): AdmissionResult<S> {
  const rest = continueAfter(options);
  const admitted: Admitted<S>[] = [];
  let { room } = options;
  let subjectCount = 0;
  let passed = options.after?.admitted ?? 0;
  let last: Place<S> | undefined;
  const cutBefore = (place: Place<S>, truncatedBy: "subjects" | "size"): AdmissionResult<S> => {
    const omitted = countRest(place, rest);
    return {
      admitted,
      subjectCount,
      truncatedBy,
      stop: { steps: last === undefined ? (options.after?.steps ?? []) : stepsTo(last), admitted: passed },
      ...(omitted === undefined ? {} : { omitted }),
    };
  };

  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const place = next.value;
    if (!place.isRepeat && subjectCount >= options.limit) return cutBefore(place, "subjects");
    const node = options.draw(place, room);
    const size = entrySize(place.step, jsonSize(node));
    if (size > room && admitted.length > 0) return cutBefore(place, "size");
    room -= size;
    admitted.push({ place, node });
    if (!place.isRepeat) subjectCount++;
    passed++;
    last = place;
  }
  return { admitted, subjectCount };
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
  for (let next = found.next(); next.done !== true; next = found.next()) if (isAt(next.value, after.steps)) return found;
  // The place is gone. Its position among the others is the best guess that is left.
  const counted = places()[Symbol.iterator]();
  for (let passed = 0; passed < after.admitted; passed++) if (counted.next().done === true) break;
  return counted;
}
