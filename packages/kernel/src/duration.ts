declare const milliseconds: unique symbol;

/**
 * A length of time, in milliseconds. Branded, so that a bare `30` cannot be passed where nobody can tell
 * seconds from milliseconds.
 */
export type Duration = number & { readonly [milliseconds]: true };

export function millis(n: number): Duration {
  // The one place where a number becomes a duration: the brand exists only for the type checker.
  return n as Duration;
}
export const seconds = (n: number): Duration => millis(n * 1_000);
export const minutes = (n: number): Duration => millis(n * 60_000);
export const hours = (n: number): Duration => millis(n * 3_600_000);
export const days = (n: number): Duration => millis(n * 86_400_000);
