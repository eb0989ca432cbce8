import type { GraphView } from "../graph/view.ts";
import type { PathProvider } from "../info/providers.ts";
import type { Subject } from "../instance/subject.ts";
import type { Resolution } from "../paths/resolution.ts";
import { isSameOrBelow } from "./path-scope.ts";

const MAX_ROUTES = 64;

/**
 * A view whose root is a subject further down: paths begin there, and what lies above or beside it cannot be named. For
 * embedders who expose a part of their graph.
 */
export function rebasedView(view: GraphView, root: Subject, provider: PathProvider): GraphView | undefined {
  if (view.root === root) return view;
  const base = view.pathOf(root, provider);
  if (base === null) return undefined;
  const above = (path: string): string => `${base}/${path}`;
  const below = (path: string): string => (path.length > base.length ? path.slice(base.length) : "/");
  const isBelow = (path: string): boolean => isSameOrBelow(path, base);

  function pathsBelow(subject: Subject, by?: PathProvider): string[] {
    return view.paths(subject, by, MAX_ROUTES).filter(isBelow).map(below);
  }

  return {
    root,
    get revision() {
      return view.revision;
    },
    get structureRevision() {
      return view.structureRevision;
    },
    info: (subject) => view.info(subject),
    has: (subject) => subject === root || pathsBelow(subject).length > 0,
    locate: (path, by) => rebased(view.locate(above(path), by)),
    pathOf(subject, by) {
      const path = view.pathOf(subject, by);
      return path !== null && isBelow(path) ? below(path) : (pathsBelow(subject, by)[0] ?? null);
    },
    paths: (subject, by, limit) => pathsBelow(subject, by).slice(0, limit),
    exposed: (subject, by) => view.exposed(subject, by),
    children: (subject, by, after) => view.children(subject, by, after),
    items: (collection, by, after) => view.items(collection, by, after),
    hasChildren: (subject, by) => view.hasChildren(subject, by),
    ofType: (name) => view.ofType(name),
    countOfType: (name) => view.countOfType(name),
  };

  function rebased(found: Resolution): Resolution {
    if (found.kind === "invalid") return found;
    if (found.kind !== "missing") return { ...found, path: below(found.path) };
    return {
      ...found,
      resolved: below(found.resolved),
      message: found.message.replaceAll(base ?? "", ""),
      suggestions: found.suggestions.map(below),
    };
  }
}
