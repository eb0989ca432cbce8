import type { Node } from "./node.ts";

/**
 * A number is kept as a bare double beside the other values: in an array of anything, each write of a number with
 * decimals would make an object that lives until the next. NaN there says that the value is among the others (null, a
 * text, a number that is NaN itself).
 */
export function valueAt(node: Node, i: number): unknown {
  const { numbers } = node;
  if (i < numbers.length) {
    const number = numbers[i];
    if (number === number) return number;
  }
  return node.values[i];
}

export function putValue(node: Node, i: number, value: unknown): void {
  const { numbers } = node;
  if (i < numbers.length) {
    if (typeof value === "number" && value === value) {
      if (numbers[i] !== numbers[i]) node.values[i] = null;
      numbers[i] = value;
      return;
    }
    numbers[i] = NaN;
  }
  node.values[i] = value;
}
