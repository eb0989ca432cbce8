import { NodeInfo, SlotInfo } from "../info/node-info.ts";
import type { PathProvider } from "../info/providers.ts";
import type { GraphReading } from "../info/reading.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import { ChildMap } from "../instance/child-map.ts";
import { listOf } from "../instance/child-value.ts";
import { isSubject, nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import { allPaths, canonicalPath } from "../paths/canonical-path.ts";
import { locate } from "../paths/locate.ts";
import { createPathSpace, type PathSpace } from "../paths/path-space.ts";
import { parsePath } from "../paths/path-text.ts";
import { subjectError } from "../subject-error.ts";
import { ListedChild, ListedItem } from "./child-entry.ts";
import type { ChildEntry, GraphView } from "./view.ts";

const DEFAULT_ROUTES = 16;

/** Providers that one view has spaces for. Beyond it the oldest is forgotten and made again when asked for. */
const MAX_SPACES = 64;

export interface ViewWithSpaces extends GraphView {
  space(provider?: PathProvider): PathSpace;
}

/** A state of the graph, through the eyes of whichever path provider is asked for. */
export function createView(reading: GraphReading, own: PathProvider): ViewWithSpaces {
  const spaces = new Map<PathProvider, PathSpace>();

  function space(provider: PathProvider = own): PathSpace {
    let known = spaces.get(provider);
    if (known === undefined) {
      known = createPathSpace(provider, reading);
      const [oldest] = spaces.keys();
      if (spaces.size >= MAX_SPACES && oldest !== undefined) spaces.delete(oldest);
      spaces.set(provider, known);
    }
    return known;
  }

  return {
    space,
    get root() {
      return reading.root().subject;
    },
    get revision() {
      return reading.revision();
    },
    get structureRevision() {
      return reading.structureRevision();
    },
    info: (subject) => new NodeInfo(reading, nodeOf(subject)),
    has: (subject) => reading.has(nodeOf(subject)),
    locate: (path, provider) => locate(space(provider), path),
    pathOf: (subject, provider) => canonicalPath(space(provider), nodeOf(subject)),
    paths: (subject, provider, limit = DEFAULT_ROUTES) => allPaths(space(provider), nodeOf(subject), limit),
    *exposed(subject, provider) {
      const node = nodeOf(subject);
      const { values, segments } = space(provider).table(node);
      for (const slot of values) yield { segment: segments[slot] ?? "", property: new SlotInfo(reading, node, slot) };
    },
    *children(subject, provider, after) {
      const node = nodeOf(subject);
      const within = space(provider);
      const from = after === undefined ? undefined : placeOf(within, node, after);
      let isPast = from === undefined;
      for (const slot of within.visibleChildren(node)) {
        if (!isPast && slot !== from?.slot) continue;
        yield* slotChildren(ListedChild, within, node, slot, isPast ? undefined : from?.key);
        isPast = true;
      }
    },
    *items(collection, provider, after) {
      const { node, slot } = placeOfInfo(collection);
      const key = after === undefined ? undefined : (stepKey(after) ?? "");
      yield* slotChildren(ListedItem, space(provider), node, slot, key);
    },
    hasChildren: (subject, provider) => space(provider).hasVisibleChild(nodeOf(subject)),
    *ofType(name) {
      for (const node of reading.ofType(name)) yield node.subject;
    },
    countOfType: (name) => reading.countOfType(name),
  };
}

function placeOfInfo(info: PropertyInfo): { readonly node: Node; readonly slot: number } {
  if (SlotInfo.isOne(info)) return SlotInfo.place(info);
  throw subjectError("TYPE_MISMATCH", `${info.name} is not a property of this graph.`);
}

/** `[7]` or `name[7]`: what stands in the brackets. */
function stepKey(step: string): string | undefined {
  const parsed = parsePath(step.startsWith("[") ? `x${step}` : step);
  return "steps" in parsed ? parsed.steps[0]?.key : undefined;
}

function placeOf(
  space: PathSpace,
  node: Node,
  step: string,
): { readonly slot: number; readonly key: string } | undefined {
  const parsed = parsePath(step);
  const first = "steps" in parsed ? parsed.steps[0] : undefined;
  if (first === undefined) return undefined;
  const slot = space.table(node).bySegment.get(first.name);
  if (slot !== undefined) return { slot, key: first.key ?? "" };
  const { inlineSlot } = space.reading.layout(node);
  return inlineSlot === -1 ? undefined : { slot: inlineSlot, key: first.name };
}

/** The children of one slot; with `after`, those behind that key. A key that is gone counts as passed. */
function* slotChildren(
  Listed: typeof ListedChild,
  space: PathSpace,
  node: Node,
  slot: number,
  after: string | undefined,
): Iterable<ChildEntry> {
  const value = space.reading.value(node, slot);
  if (value instanceof ChildMap) {
    const table = ChildMap.peek(value);
    let isPast = after === undefined || !table.has(after);
    for (const [key, subject] of table) {
      if (isPast) yield new Listed(space, node, slot, key, subject);
      else isPast = key === after;
    }
  } else if (Array.isArray(value)) {
    const list = listOf(value);
    for (let i = after === undefined ? 0 : Number(after) + 1; i < list.length; i++) {
      const subject = list[i];
      if (subject !== undefined) yield new Listed(space, node, slot, i, subject);
    }
  } else if (isSubject(value) && after === undefined) yield new Listed(space, node, slot, null, value);
}
