/** SameValueZero: 0 equals -0, NaN equals NaN, objects by identity. */
export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (a !== a && b !== b);
}
