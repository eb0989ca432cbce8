import { InvalidArgumentError } from "@commander-js/extra-typings";

/** A whole number from 1. */
export function asCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number from 1.");
  return count;
}
