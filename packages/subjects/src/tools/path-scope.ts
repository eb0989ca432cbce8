import type { Caller } from "@steading/kernel";

/** How a path lies to the prefixes of a token: inside one, on the way to one, or neither. */
export type ScopeFit = "inside" | "onTheWay" | "outside";

/** Compares whole steps, so that `/barn` does not open `/barn2`. Without prefixes everything is inside. */
export function scopeFit(caller: Caller, path: string): ScopeFit {
  const prefixes = caller.scope?.pathPrefixes;
  if (prefixes === undefined) return "inside";
  let fit: ScopeFit = "outside";
  for (const given of prefixes) {
    const prefix = given === "/" ? "" : given.replace(/\/+$/, "");
    if (isSameOrBelow(path, prefix)) return "inside";
    if (path === "/" || isSameOrBelow(prefix, path)) fit = "onTheWay";
  }
  return fit;
}

/** Is `path` the subject at `base` or below it? Both in printed form. */
export function isSameOrBelow(path: string, base: string): boolean {
  if (base === "" || base === "/") return true;
  if (!path.startsWith(base)) return false;
  const next = path[base.length];
  return next === undefined || next === "/" || next === "[" || next === "@";
}
