import type { Layout } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { slotValue } from "../instance/slot-access.ts";
import type { Owner } from "./standing.ts";

/** Where a registry record takes its facts from: the live graph, a capture of it, or a subject that stands alone. */
export interface Reading {
  value(node: Node, slot: number): unknown;
  layout(node: Node): Layout;
  standing(node: Node): readonly number[] | null;
  owner(index: number): Owner | undefined;
  /** Did the getter of this derived slot throw last time? */
  failed(node: Node, slot: number): boolean;
  /** Runs code of the type's author, such as a title, so that it sees this state. */
  say<T>(read: () => T): T;
  pathOf(node: Node): string | null;
  now(): number;
}

/** A reading of a whole graph, with what paths need to know of its structure. */
export interface GraphReading extends Reading {
  root(): Node;
  /** Is it part of this state of the graph? */
  has(node: Node): boolean;
  /** Oldest reference first; true ends the walk. */
  eachParent(node: Node, visit: (parent: Node, slot: number, key: string | number | null) => boolean | void): void;
  /** It has exactly one reference, the one that the node itself carries: the usual case, answered without a walk. */
  hasOneParent(node: Node): boolean;
  /** Changes whenever any path may have changed. */
  structureRevision(): number;
  revision(): number;
  /** Subjects of a concrete type or interface. */
  ofType(name: string): Iterable<Node>;
  countOfType(name: string): number;
}

/** For a subject that belongs to no graph. */
export const UNATTACHED: Reading = {
  value: (node, slot) => slotValue(node, slot),
  layout: (node) => node.layout,
  standing: () => null,
  owner: () => undefined,
  failed: () => false,
  say: (read) => read(),
  pathOf: () => null,
  now: () => 0,
};
