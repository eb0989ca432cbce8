/** Members and items at every depth together, counted no further than just beyond the limit. */
export function countElements(value: unknown, limit: number): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && count <= limit) {
    const each = open.pop();
    if (typeof each !== "object" || each === null) continue;
    const inside: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
    count += inside.length;
    if (count <= limit) open.push(...inside);
  }
  return count;
}
