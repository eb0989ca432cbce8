import { SlotInfo } from "../info/node-info.ts";
import type { PathProvider } from "../info/providers.ts";
import type { Reading } from "../info/reading.ts";
import type { Node } from "../instance/node.ts";
import { escapeName } from "./path-text.ts";

/** What a provider exposes of one layout, and under which names. Made once for all subjects that share the layout. */
export interface SegmentTable {
  /** Child properties that are not included are here too: they may have to be passed. */
  readonly bySegment: ReadonlyMap<string, number>;
  /** By slot; undefined for what is hidden. */
  readonly segments: readonly (string | undefined)[];
  /** Included values, in listing order. */
  readonly values: readonly number[];
  /** Child slots in definition order, and whether each is included. */
  readonly children: readonly { readonly slot: number; readonly included: boolean }[];
  /** The same slots, if all of them are included: then nobody has to ask what lies behind them. */
  readonly openChildren: readonly number[] | undefined;
  /** By slot, for child slots alone: whether it is included. */
  readonly isIncluded: readonly (boolean | undefined)[];
  /** By slot: the segment as it is printed. */
  readonly printed: readonly (string | undefined)[];
}

export function compileSegments(provider: PathProvider, reading: Reading, node: Node): SegmentTable {
  const layout = reading.layout(node);
  const bySegment = new Map<string, number>();
  const segments: (string | undefined)[] = [];
  const values: number[] = [];
  const included = new Set<number>();

  function name(slot: number): void {
    const info = new SlotInfo(reading, node, slot);
    const wanted = provider.segment(info) ?? info.name;
    // Two properties with one segment: the first has it, the other goes by its own name if that is free.
    const free = [wanted, info.name].find((segment) => segment.length > 0 && !bySegment.has(segment));
    if (free === undefined) return;
    bySegment.set(free, slot);
    segments[slot] = free;
  }

  for (const slot of layout.listed) if (provider.includes(new SlotInfo(reading, node, slot))) included.add(slot);
  // Included ones choose their names first, so that what is merely passed never takes one away.
  const ordered = [...layout.listed].sort((a, b) => a - b);
  for (const slot of ordered) if (included.has(slot)) name(slot);
  for (const slot of layout.childSlots) if (!included.has(slot)) name(slot);
  for (const slot of layout.listed)
    if (included.has(slot) && segments[slot] !== undefined && layout.slot(slot).shape === undefined) values.push(slot);
  const children = layout.childSlots
    .filter((slot) => segments[slot] !== undefined)
    .map((slot) => ({ slot, included: included.has(slot) }));
  const isIncluded: (boolean | undefined)[] = [];
  for (const { slot, included: isIn } of children) isIncluded[slot] = isIn;
  const printed = segments.map((segment) => (segment === undefined ? undefined : escapeName(segment)));
  const openChildren = children.every((child) => child.included) ? children.map(({ slot }) => slot) : undefined;
  return { bySegment, segments, values, children, openChildren, isIncluded, printed };
}
