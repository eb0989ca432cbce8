import { extraOf, SHUT, type Computation, type Link, type Node } from "../instance/node.ts";
import { valueAt } from "../instance/stored-value.ts";

/**
 * The derived property whose getter runs at this moment. One for the process, because a getter may read subjects
 * without being told which graph they belong to; getters are synchronous, so it is never shared between two.
 */
export const tracking: {
  recorder: Computation | null;
  /** Reads go here instead: somebody looks at an earlier state through the accessors. */
  overlay: ((node: Node, slot: number) => unknown) | null;
} = { recorder: null, overlay: null };

/** Stands in for a recorder while an overlay is on, so that plain reads have one thing to ask. */
const NOBODY: Computation = {
  node: undefined as unknown as Node, // never looked at: `track` is not called while an overlay is on
  slot: -1,
  state: 0,
  links: [],
  cursor: 0,
  stamp: 0,
  queued: false,
  isStale: false,
  readsDerived: false,
  failed: false,
  looped: false,
  isWaiting: false,
  complaints: null,
  triggeredAt: 0,
};

/** A read while somebody records, or looks at an earlier state. */
export function recordedRead(node: Node, slot: number): unknown {
  if (tracking.overlay !== null) return tracking.overlay(node, slot);
  track(node, slot);
  return valueAt(node, slot);
}

/** Runs `read` with every subject showing what the overlay says. */
export function withOverlay<T>(overlay: (node: Node, slot: number) => unknown, read: () => T): T {
  const { recorder: outerRecorder, overlay: outerOverlay } = tracking;
  tracking.recorder = NOBODY;
  tracking.overlay = overlay;
  try {
    return read();
  } finally {
    tracking.recorder = outerRecorder;
    tracking.overlay = outerOverlay;
  }
}

/** Notes that the running getter read this slot. Reads in the same order as last time cost one comparison. */
export function track(node: Node, slot: number): void {
  const reader = tracking.recorder;
  if (reader === null || node.core === null || node.core !== reader.node.core) return;
  const expected = reader.links[reader.cursor];
  if (expected !== undefined && expected.from === node && expected.slot === slot) {
    expected.stamp = reader.stamp;
    reader.cursor += 1;
    return;
  }
  const known = findLink(reader, node, slot);
  if (known !== undefined) known.stamp = reader.stamp;
  else addLink(reader, node, slot);
}

function findLink(reader: Computation, node: Node, slot: number): Link | undefined {
  const outgoing = node.extra?.links?.[slot];
  if (outgoing === undefined) return undefined;
  // Either side may be long (a sum over ten thousand, a value that ten thousand read); the other one is short.
  if (outgoing.length < reader.links.length) return outgoing.find((link) => link.to === reader);
  return reader.links.find((link) => link.from === node && link.slot === slot);
}

function addLink(reader: Computation, node: Node, slot: number): void {
  const extra = extraOf(node);
  const byList = (extra.links ??= []);
  const outgoing = (byList[slot] ??= []);
  if (node.layout.slots[slot]?.get !== undefined) reader.readsDerived = true;
  const link: Link = { from: node, slot, to: reader, at: outgoing.length, stamp: reader.stamp };
  outgoing.push(link);
  reader.links.push(link);
  // Links are appended, so a getter that only reads more than last time still counts as read in order.
  if (reader.cursor === reader.links.length - 1) reader.cursor += 1;
  node.pulse = SHUT; // its writes have somebody to wake, which the quick way does not
}

/** Takes the link off its source. The reader's own list is the caller's business. */
export function unlink(link: Link): void {
  const byList = link.from.extra?.links;
  const outgoing = byList?.[link.slot];
  if (byList === null || byList === undefined || outgoing === undefined) return;
  const last = outgoing.pop();
  if (last !== undefined && last !== link) {
    outgoing[link.at] = last;
    last.at = link.at;
  }
  if (outgoing.length === 0) byList[link.slot] = undefined;
}
