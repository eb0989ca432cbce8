import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import { canonicalPath } from "./canonical-path.ts";
import { startAt } from "./found.ts";
import { follow } from "./locate.ts";
import { parsePath } from "./path-text.ts";
import type { PathSpace } from "./path-space.ts";
import type { Located } from "./resolution.ts";

/** For library use: `./` and `../` from a subject. Null when nothing is there, or when up leads to several parents. */
export function resolveRelative(space: PathSpace, path: string, from?: Subject): Located | null {
  const parsed = parsePath(path);
  if ("problem" in parsed) throw subjectError("INVALID_PATH", parsed.problem);
  const isRelative = from !== undefined && !path.startsWith("/");
  let node: Node | null = isRelative ? nodeOf(from) : space.reading.root();
  let i = 0;
  for (; i < parsed.steps.length; i++) {
    const text = parsed.steps[i]?.text;
    if (text === "..") node = node === null ? null : onlyParent(space, node);
    else if (text !== ".") break;
  }
  const rest = parsed.steps.slice(i);
  if (node === null) return null;
  if (rest.some(({ text }) => text === "." || text === "..")) return resolveSteps(space, node, rest);
  return located(space, node, rest);
}

/** Dots in the middle: each stretch between them is followed on its own. */
function resolveSteps(space: PathSpace, start: Node, steps: Parameters<typeof follow>[1]): Located | null {
  let node: Node | null = start;
  let stretch: (typeof steps)[number][] = [];
  for (const step of steps) {
    if (step.text !== "." && step.text !== "..") {
      stretch.push(step);
      continue;
    }
    const reached: Located | null = located(space, node, stretch);
    stretch = [];
    if (reached?.kind !== "subject") return null;
    node = nodeOf(reached.subject.subject);
    if (step.text === "..") node = onlyParent(space, node);
    if (node === null) return null;
  }
  return located(space, node, stretch);
}

function located(space: PathSpace, node: Node, steps: Parameters<typeof follow>[1]): Located | null {
  const path = canonicalPath(space, node);
  if (path === null) return null;
  const found = follow(space, steps, startAt(node, path));
  return found.kind === "invalid" || found.kind === "missing" ? null : found;
}

function onlyParent(space: PathSpace, node: Node): Node | null {
  const parents = new Set<Node>();
  space.reading.eachParent(node, (parent) => void parents.add(parent));
  const [only] = parents;
  return parents.size === 1 ? (only ?? null) : null;
}
