/** Deeper than this nobody writes by hand, and what prints or compares values goes down level by level. */
const MOST_LEVELS = 32;

/** Looked at level by level, so that the looking itself cannot run out of stack. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth += 1) {
    level = level.flatMap((each): readonly unknown[] =>
      typeof each === "object" && each !== null ? Object.values(each as Record<string, unknown>) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
