import type { Subject } from "../instance/subject.ts";
import type { Graph } from "./graph.ts";

/** The graph that a subject is attached to. */
export function graphOf(subject: Subject): Graph | undefined {
  // Only a graph ever puts itself there; the field is typed loosely because subjects do not know what a graph is.
  return (subject.$graph as Graph | null) ?? undefined;
}
