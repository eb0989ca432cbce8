import { createManualClock, silentLog, type Log, type ManualClock } from "@steading/kernel";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import type { LifecycleEvent } from "../graph/change.ts";
import type { Graph } from "../graph/graph.ts";
import type { Subject } from "../instance/subject.ts";

/** One type with every shape of child, enough for any structure. */
export const Thing = defineSubject("test.Thing", {
  props: { name: p.string().nullable().writable(), value: p.number().nullable().writable() },
  children: {
    link: c.one(),
    other: c.one(),
    list: c.list(),
    map: c.map(),
    children: c.map(undefined, { inline: true }),
  },
});
export type AnyThing = ReturnType<typeof Thing.create>;

export function thing(name: string): AnyThing {
  return Thing.create({ name });
}

export interface TestGraph {
  readonly graph: Graph;
  readonly clock: ManualClock;
  readonly root: AnyThing;
  /** Lines that were logged as warnings or errors. */
  readonly logged: { readonly message: string; readonly cause: unknown }[];
}

export function openGraph(root: AnyThing = thing("root")): TestGraph {
  const clock = createManualClock();
  const logged: { message: string; cause: unknown }[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message) => void logged.push({ message, cause: undefined }),
    error: (message, cause) => void logged.push({ message, cause }),
  };
  return { graph: createGraph({ clock, log, root }), clock, root, logged };
}

/** Writes lifecycle events down as short texts: `attach a`, `detach b`, `+a`, `-a`. */
export function writtenEvents(graph: Graph): string[] {
  const written: string[] = [];
  graph.onLifecycle((event) => written.push(eventText(event)));
  return written;
}

function eventText({ subject, contextAttach, contextDetach, referenceAdded }: LifecycleEvent): string {
  const name = nameOf(subject);
  if (contextAttach) return `attach ${name}`;
  if (contextDetach) return `detach ${name}`;
  return `${referenceAdded ? "+" : "-"}${name}`;
}

export function nameOf(subject: Subject): string {
  return String(subject.$get("name"));
}

export function parentsOf(graph: Graph, subject: Subject): string[] {
  return graph.registry
    .parents(subject)
    .map((entry) => `${nameOf(entry.subject)}.${entry.property}${entry.key === null ? "" : `[${entry.key}]`}`);
}

export function isAttached(graph: Graph, ...subjects: readonly Subject[]): boolean[] {
  return subjects.map((subject) => graph.registry.get(subject) !== undefined);
}
