import type { Json } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { GraphView } from "../graph/view.ts";
import type { Quality } from "../info/quality.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import { ChildMap } from "../instance/child-map.ts";
import { listOf } from "../instance/child-value.ts";
import { isSubject } from "../instance/held.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import { faceOf, READ_WHOLE } from "../tools/value-face.ts";
import { applyListDiff, diffList, type ListDiff } from "./list-diff.ts";

/** A graph for another instance or a user interface: flat by id, so that cycles need nothing special. */
export interface Mirror {
  readonly root: string;
  readonly subjects: Readonly<Record<string, MirrorSubject>>;
}
export type MirrorSubject = Readonly<Record<string, MirrorProperty>>;
export type MirrorProperty =
  | { readonly kind: "value"; readonly value: Json; readonly quality?: Quality | "error" }
  | { readonly kind: "one"; readonly id: string | null }
  | { readonly kind: "list"; readonly count: number; readonly items: readonly string[] }
  | { readonly kind: "map"; readonly count: number; readonly items: Readonly<Record<string, string>> };

/** What changed since. Lists and maps as differences; subjects that were not known before come whole. */
export interface MirrorUpdate {
  readonly root?: string;
  readonly subjects: Readonly<Record<string, Readonly<Record<string, MirrorProperty | MirrorDiff>>>>;
  readonly removed?: readonly string[];
}
export type MirrorDiff =
  | ({ readonly kind: "list"; readonly items?: undefined } & ListDiff)
  | {
      readonly kind: "map";
      readonly count: number;
      readonly items?: undefined;
      readonly set?: Readonly<Record<string, string>>;
      readonly deleted?: readonly string[];
    };

export interface MirrorOptions {
  /** Which properties go out. Secrets never do. */
  readonly includes?: (property: PropertyInfo) => boolean;
}

/** The whole graph as it is. */
export function toMirror(view: GraphView, options: MirrorOptions = {}): Mirror {
  const subjects: Record<string, MirrorSubject> = {};
  const queue = [view.root];
  const seen = new Set(queue);
  for (let i = 0; i < queue.length; i++) {
    const subject = queue[i];
    if (subject === undefined) break;
    put(subjects, subject.$id, wholeSubject(view, subject, options));
    for (const property of view.info(subject).properties()) {
      for (const child of childrenOf(property.value)) {
        if (seen.has(child)) continue;
        seen.add(child);
        queue.push(child);
      }
    }
  }
  return { root: view.root.$id, subjects };
}

function wholeSubject(view: GraphView, subject: Subject, { includes }: MirrorOptions): MirrorSubject {
  const properties: Record<string, MirrorProperty> = {};
  put(properties, "$type", { kind: "value", value: subject.$type });
  for (const property of view.info(subject).properties()) {
    if (property.facets.secret === true || includes?.(property) === false) continue;
    put(properties, property.name, wholeProperty(property));
  }
  return properties;
}

function wholeProperty({ shape, value, quality }: PropertyInfo): MirrorProperty {
  if (shape === "one") return { kind: "one", id: isSubject(value) ? value.$id : null };
  if (shape === "list") {
    const items = listOf(value).map((child) => child.$id);
    return { kind: "list", count: items.length, items };
  }
  if (shape === "map") {
    const items = idsByKey(value);
    return { kind: "map", count: Object.keys(items).length, items };
  }
  return { kind: "value", value: faceOf(value, READ_WHOLE).value, ...(quality === "good" ? {} : { quality }) };
}

/** The update for one batch of a change stream. */
export function toMirrorUpdate(
  view: GraphView,
  changes: readonly Change[],
  known: ReadonlySet<string>,
  options: MirrorOptions = {},
): MirrorUpdate {
  const subjects: Record<string, Record<string, MirrorProperty | MirrorDiff>> = {};
  const removed = new Set<string>();
  const addWhole = (start: Subject): void => {
    const stack = [start];
    for (let subject = stack.pop(); subject !== undefined; subject = stack.pop()) {
      if (known.has(subject.$id) || Object.hasOwn(subjects, subject.$id) || !view.has(subject)) continue;
      put(subjects, subject.$id, { ...wholeSubject(view, subject, options) });
      for (const property of view.info(subject).properties()) stack.push(...childrenOf(property.value));
    }
  };
  for (const { subject, property: name, old, value } of changes) {
    const property = view.info(subject).property(name);
    if (
      property === undefined ||
      property.isAttribute ||
      property.facets.secret === true ||
      options.includes?.(property) === false
    )
      continue;
    for (const child of childrenOf(old)) if (!view.has(child) && known.has(child.$id)) removed.add(child.$id);
    for (const child of childrenOf(value)) addWhole(child);
    if (!known.has(subject.$id) || !view.has(subject)) continue;
    const own = subjects[subject.$id] ?? {};
    put(own, name, old === undefined ? wholeProperty(property) : changedProperty(property, old, value));
    put(subjects, subject.$id, own);
  }
  return { subjects, ...(removed.size === 0 ? {} : { removed: [...removed] }) };
}

function changedProperty(property: PropertyInfo, old: unknown, value: unknown): MirrorProperty | MirrorDiff {
  if (property.shape === "list") {
    const ids = (list: unknown): string[] => listOf(list).map((child) => child.$id);
    return { kind: "list", ...diffList(ids(old), ids(value)) };
  }
  if (property.shape !== "map") return wholeProperty(property);
  const before = idsByKey(old);
  const after = idsByKey(value);
  const set = Object.fromEntries(Object.entries(after).filter(([key, id]) => before[key] !== id));
  const deleted = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return {
    kind: "map",
    count: Object.keys(after).length,
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...(deleted.length === 0 ? {} : { deleted }),
  };
}

/** The receiving side: the mirror with an update worked in. Throws on one that does not fit. */
export function applyMirrorUpdate(mirror: Mirror, update: MirrorUpdate): Mirror {
  const subjects: Record<string, MirrorSubject> = { ...mirror.subjects };
  for (const [id, properties] of Object.entries(update.subjects)) {
    const merged: Record<string, MirrorProperty> = { ...subjects[id] };
    for (const [name, property] of Object.entries(properties)) put(merged, name, applied(merged[name], property));
    put(subjects, id, merged);
  }
  for (const id of update.removed ?? []) delete subjects[id];
  return { root: update.root ?? mirror.root, subjects };
}

function applied(before: MirrorProperty | undefined, property: MirrorProperty | MirrorDiff): MirrorProperty {
  if (property.kind === "list" && property.items === undefined) {
    const items = applyListDiff(before?.kind === "list" ? before.items : [], property);
    return { kind: "list", count: items.length, items };
  }
  if (property.kind === "map" && property.items === undefined) {
    const items = new Map(Object.entries(before?.kind === "map" ? before.items : {}));
    for (const key of property.deleted ?? []) items.delete(key);
    for (const [key, id] of Object.entries(property.set ?? {})) items.set(key, id);
    if (items.size !== property.count)
      throw subjectError(
        "VALIDATION_FAILED",
        `The map update is malformed: it does not add up to ${property.count} items.`,
      );
    return { kind: "map", count: items.size, items: Object.fromEntries(items) };
  }
  return property;
}

function childrenOf(value: unknown): Iterable<Subject> {
  if (value instanceof ChildMap) return [...ChildMap.peek(value).values()];
  if (Array.isArray(value)) return listOf(value).filter(isSubject);
  return isSubject(value) ? [value] : [];
}

function idsByKey(value: unknown): Record<string, string> {
  const items: Record<string, string> = {};
  if (value instanceof ChildMap) for (const [key, child] of ChildMap.peek(value)) put(items, key, child.$id);
  return items;
}

/** Not by assignment: a key may be __proto__. */
function put<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
