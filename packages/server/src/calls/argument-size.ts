/** Does a value hold more array items and keys, at all depths, than `limit`? Stops counting as soon as it knows. */
export function hasMoreElementsThan(limit: number, value: unknown): boolean {
  let left = limit;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    left -= members.length;
    if (left < 0) return true;
    for (const member of members) if (typeof member === "object") waiting.push(member);
  }
  return false;
}
