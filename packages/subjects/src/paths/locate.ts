import { SlotInfo, NodeInfo } from "../info/node-info.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import { ChildMap } from "../instance/child-map.ts";
import { listOf } from "../instance/child-value.ts";
import { isSubject } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import { nearNames } from "../tools/near-names.ts";
import { FoundProperty, FoundSubject, printPlace, startAt, through, type Place } from "./found.ts";
import { escapeName, joinPath, parsePath, printStep, type PathStep } from "./path-text.ts";
import type { PathSpace } from "./path-space.ts";
import type { Resolution } from "./resolution.ts";

const LIST_INDEX = /^(?:0|[1-9]\d*)$/;

/** Follows a path from a subject and says what is there, or why nothing is. */
export function locate(space: PathSpace, path: string, start?: Place): Resolution {
  const parsed = parsePath(path);
  if ("problem" in parsed) return { kind: "invalid", message: parsed.problem };
  for (const { text } of parsed.steps) {
    if (text === "." || text === "..")
      return { kind: "invalid", message: `The step ${text} is not allowed here; write the path out from the root.` };
  }
  return follow(space, parsed.steps, start ?? startAt(space.reading.root(), "/"));
}

export function follow(space: PathSpace, steps: readonly PathStep[], start: Place): Resolution {
  let place = start;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step === undefined) break;
    const isLast = i === steps.length - 1;
    const slot = slotFor(space, place.node, step);
    if (slot === undefined) {
      const other = withoutSlot(space, place, step, isLast);
      if ("kind" in other) return other;
      place = other;
      continue;
    }
    const shape = space.reading.layout(place.node).slot(slot).shape;
    if (shape === undefined) {
      if (isLast && step.key === undefined) return property(space, place, slot);
      return missing(
        space,
        place,
        step.key === undefined ? (steps[i + 1] ?? step) : step,
        `${step.name} is a value; nothing lies below it.`,
      );
    }
    if (shape === "one") {
      const next = throughReference(space, place, slot, step);
      if ("kind" in next) return next;
      place = next;
      continue;
    }
    // An index or key may also stand as a step of its own.
    const following = step.key === undefined ? steps[i + 1] : undefined;
    if (step.key === undefined && following === undefined) return collection(space, place, slot);
    if (following?.key !== undefined)
      return missing(space, place, following, `${following.text} is no key of ${step.name}.`);
    const next = throughCollection(space, place, slot, step.key ?? following?.name ?? "", following ?? step);
    if ("kind" in next) return next;
    place = next;
    if (following !== undefined) i += 1;
  }
  return new FoundSubject(space, place);
}

function slotFor(space: PathSpace, node: Node, step: PathStep): number | undefined {
  const { provider, reading } = space;
  if (provider.find !== undefined) {
    const found = provider.find(new NodeInfo(reading, node), step.name);
    if (found === null) return undefined;
    return SlotInfo.isOne(found) ? SlotInfo.place(found).slot : reading.layout(node).index.get(found.name);
  }
  const slot = space.table(node).bySegment.get(step.name);
  if (slot === undefined) return undefined;
  return reading.layout(node).slot(slot).shape === undefined || space.isVisible(node, slot) ? slot : undefined;
}

/** An attribute, a key of the inline map, or a method. */
function withoutSlot(space: PathSpace, place: Place, step: PathStep, isLast: boolean): Resolution | Place {
  const { node } = place;
  const layout = space.reading.layout(node);
  const at = step.name.indexOf("@");
  if (at > 0 && step.key === undefined) {
    const owner = step.name.slice(0, at);
    const ownerSlot = slotFor(space, node, { ...step, name: owner });
    if (ownerSlot !== undefined || layout.type.methods.has(owner)) {
      return isLast
        ? attribute(space, place, ownerSlot, owner, step)
        : missing(space, place, step, `${step.name} is an attribute; nothing lies below it.`);
    }
  }
  const inline = layout.inlineSlot;
  if (inline !== -1 && step.key === undefined && space.isVisible(node, inline)) {
    const map = space.reading.value(node, inline);
    const child = map instanceof ChildMap ? ChildMap.peek(map).get(step.name) : undefined;
    if (child !== undefined) return through(place, child, inline, step.name);
  }
  const method = isLast && step.key === undefined ? new NodeInfo(space.reading, node).method(step.name) : undefined;
  if (method !== undefined) {
    return {
      kind: "method",
      path: joinPath(printPlace(space, place), escapeName(step.name)),
      subject: new NodeInfo(space.reading, node),
      method,
    };
  }
  return missing(space, place, step, `There is no ${step.text} at ${printPlace(space, place)}.`);
}

function attribute(
  space: PathSpace,
  place: Place,
  ownerSlot: number | undefined,
  owner: string,
  step: PathStep,
): Resolution {
  const info = new NodeInfo(space.reading, place.node);
  const layout = space.reading.layout(place.node);
  const ownName = ownerSlot === undefined ? owner : layout.slot(ownerSlot).name;
  const found = info.property(ownName + step.name.slice(owner.length));
  if (found === undefined || found.facets.secret === true) {
    return missing(space, place, step, `${owner} has no attribute ${step.name.slice(owner.length + 1)}.`);
  }
  return {
    kind: "property",
    path: joinPath(printPlace(space, place), escapeName(step.name)),
    subject: info,
    property: found,
  };
}

function property(space: PathSpace, place: Place, slot: number): Resolution {
  return new FoundProperty(space, place, slot, new SlotInfo(space.reading, place.node, slot));
}

function collection(space: PathSpace, place: Place, slot: number): Resolution {
  const info = new SlotInfo(space.reading, place.node, slot);
  const path = joinPath(printPlace(space, place), space.step(place.node, slot, null));
  return { kind: "collection", path, subject: info.subject, property: info };
}

function throughReference(space: PathSpace, place: Place, slot: number, step: PathStep): Resolution | Place {
  if (step.key !== undefined) return missing(space, place, step, `${step.name} holds one subject and takes no key.`);
  const child = space.reading.value(place.node, slot);
  if (isSubject(child)) return through(place, child, slot, null);
  const path = joinPath(printPlace(space, place), space.step(place.node, slot, null));
  const empty = new SlotInfo(space.reading, place.node, slot);
  return missing(space, place, step, `${path} is empty at the moment (null).`, empty);
}

function throughCollection(
  space: PathSpace,
  place: Place,
  slot: number,
  key: string,
  step: PathStep,
): Resolution | Place {
  const value = space.reading.value(place.node, slot);
  const isMap = value instanceof ChildMap;
  const index = !isMap && LIST_INDEX.test(key) ? Number(key) : -1;
  const child = isMap ? ChildMap.peek(value).get(key) : listOf(value)[index];
  if (child !== undefined) {
    return through(place, child, slot, isMap ? key : index);
  }
  const here = printPlace(space, place);
  const name = space.step(place.node, slot, null);
  const keys = isMap ? ChildMap.peek(value).keys() : [];
  const suggestions = nearNames(key, keys).map((near) => joinPath(here, space.step(place.node, slot, near)));
  const path = joinPath(here, name);
  return {
    kind: "missing",
    message: `${path} has no ${JSON.stringify(key)}.`,
    resolved: path,
    missing: step.text,
    suggestions,
  };
}

function missing(space: PathSpace, place: Place, step: PathStep, message: string, empty?: PropertyInfo): Resolution {
  const here = printPlace(space, place);
  const suggestions = nearNames(step.name, namesAt(space, place.node)).map((near) =>
    joinPath(here, printNear(space, place.node, near)),
  );
  return {
    kind: "missing",
    message,
    resolved: here,
    missing: step.text,
    suggestions,
    ...(empty === undefined ? {} : { empty }),
  };
}

function* namesAt(space: PathSpace, node: Node): Iterable<string> {
  const { bySegment } = space.table(node);
  for (const [segment, slot] of bySegment)
    if (space.reading.layout(node).slot(slot).shape === undefined || space.isVisible(node, slot)) yield segment;
  const inline = space.reading.layout(node).inlineSlot;
  if (inline === -1 || !space.isVisible(node, inline)) return;
  const map = space.reading.value(node, inline);
  if (map instanceof ChildMap) yield* ChildMap.peek(map).keys();
}

function printNear(space: PathSpace, node: Node, near: string): string {
  if (space.table(node).bySegment.has(near)) return escapeName(near);
  const { inlineSlot } = space.reading.layout(node);
  return inlineSlot === -1 ? printStep(near) : space.step(node, inlineSlot, near);
}
