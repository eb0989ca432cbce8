import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import { writeSlot } from "../instance/slot-access.ts";
import { childrenHandle } from "../instance/children-handle.ts";
import type { Subject } from "../instance/subject.ts";
import { SlotInfo } from "../info/node-info.ts";
import type { PathSpace } from "../paths/path-space.ts";
import { locate } from "../paths/locate.ts";
import { joinPath, parsePath, printStep } from "../paths/path-text.ts";
import { subjectError } from "../subject-error.ts";
import { Folder } from "./folder.ts";
import { pathError } from "./path-error.ts";
import { eachParent } from "./parents.ts";

/** Puts a subject below a parent: into a bare collection, a `one` child called `key`, or the inline map. */
export function attachAt(space: PathSpace, parentPath: string, key: string | number, subject: Subject): void {
  const found = locate(space, parentPath);
  if (found.kind === "collection" && SlotInfo.isOne(found.property)) {
    const { node, slot } = SlotInfo.place(found.property);
    return putInto(node, slot, key, subject);
  }
  if (found.kind !== "subject")
    throw found.kind === "property" || found.kind === "method" ? notAParent(parentPath) : pathError(parentPath, found);
  const node = nodeOf(found.subject.subject);
  const named = typeof key === "string" ? node.layout.index.get(key) : undefined;
  if (named !== undefined && node.layout.slot(named).shape === "one") return writeSlot(node, named, subject);
  const { inlineSlot } = node.layout;
  if (inlineSlot === -1) {
    throw subjectError(
      "VALIDATION_FAILED",
      `${found.path} (${node.layout.type.name}) has neither a child called ${String(key)} nor an inline map.`,
    );
  }
  putInto(node, inlineSlot, key, subject);
}

function notAParent(path: string): Error {
  return subjectError("NOT_A_SUBJECT", `${path} is no subject and no collection; nothing can be attached to it.`);
}

function putInto(node: Node, slot: number, key: string | number, subject: Subject): void {
  const children = childrenHandle(node, slot);
  if (node.layout.slot(slot).shape === "map") return children.set(key, subject);
  const index = typeof key === "number" ? key : Number(key);
  if (index === children.size) children.insert(index, subject);
  else children.set(index, subject);
}

/** Takes every reference to a subject away. */
export function detachEverywhere(node: Node): void {
  const references: { parent: Node; slot: number; key: string | number | null }[] = [];
  eachParent(node, false, (parent, slot, key) => {
    references.push({ parent, slot, key });
  });
  // From the back, so that indices of one list stay true while it shrinks.
  for (const { parent, slot, key } of references.sort((a, b) => Number(b.key) - Number(a.key))) {
    const declared = parent.layout.slot(slot);
    if (declared.get !== undefined) continue; // it is computed, and will be again
    if (declared.shape === "one" || key === null) writeSlot(parent, slot, null);
    else childrenHandle(parent, slot).delete(key);
  }
}

/** Makes sure that a path leads to a subject, putting folders where there is nothing. */
export function ensureFolder(space: PathSpace, path: string): Node {
  const parsed = parsePath(path);
  if ("problem" in parsed) throw subjectError("INVALID_PATH", parsed.problem);
  let at = "/";
  for (const step of parsed.steps) {
    const next = joinPath(at, printStep(step.name, step.key));
    const found = locate(space, next);
    if (found.kind === "missing") attachAt(space, at, step.key ?? step.name, Folder.create());
    else if (found.kind !== "subject") throw notAParent(next);
    at = next;
  }
  const found = locate(space, at);
  if (found.kind !== "subject") throw notAParent(path);
  return nodeOf(found.subject.subject);
}
