const SEGMENT = "(?::[A-Za-z][A-Za-z0-9_]*|[A-Za-z0-9._~-]+)";
const PATH = new RegExp(`^/(?:${SEGMENT}(?:/${SEGMENT})*)?$`);

/** `/api/equipment/:id`: fixed words and whole segments as parameters, nothing else. */
export function isPathPattern(path: string): boolean {
  return PATH.test(path);
}

/** The names of its parameters, in order. */
export function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map(([, name = ""]) => name);
}

/** Says what is at a path, by its pattern. Fixed paths cost one look-up; parameters are tried one after the other. */
export interface PathTable<T> {
  find(path: string): readonly T[] | undefined;
}

/** A slash at the end makes no difference. */
export function createPathTable<T>(entries: readonly { readonly path: string; readonly value: T }[]): PathTable<T> {
  const fixed = new Map<string, T[]>();
  const open = new Map<string, { readonly test: RegExp; readonly values: T[] }>();
  for (const { path, value } of entries) {
    if (!path.includes("/:")) {
      fixed.set(path, [...(fixed.get(path) ?? []), value]);
      continue;
    }
    const source = path.replaceAll(".", "\\.").replace(/:[A-Za-z0-9_]+/g, "[^/]+");
    const known = open.get(source);
    if (known === undefined) open.set(source, { test: new RegExp(`^${source}$`), values: [value] });
    else known.values.push(value);
  }
  return {
    find(given) {
      const path = given.length > 1 && given.endsWith("/") ? given.slice(0, -1) : given;
      const found = fixed.get(path);
      if (found !== undefined) return found;
      for (const { test, values } of open.values()) if (test.test(path)) return values;
      return undefined;
    },
  };
}

/** The path of a request's target, without its query. */
export function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}
