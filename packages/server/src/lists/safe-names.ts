import { createHash } from "node:crypto";

export interface SafeNames {
  toSafe(name: string): string;
  /** The real name behind an alias; a name that is no alias stays as it is. */
  fromSafe(name: string): string;
}

const LONGEST = 64;

/**
 * Aliases without dots, for model vendors that refuse them. Each is unique in its list: where replacing the dots would
 * collide, the alias ends in a piece of the name's hash, so that it stays the same whatever else comes and goes.
 */
export function createSafeNames(names: readonly string[]): SafeNames {
  const taken = new Map<string, number>();
  for (const name of names) count(taken, withoutDots(name));
  const toSafe = new Map<string, string>();
  const fromSafe = new Map<string, string>();
  for (const name of names) {
    const plain = withoutDots(name);
    const alias = name === plain || taken.get(plain) === 1 ? plain : marked(plain, name);
    toSafe.set(name, alias);
    fromSafe.set(alias, name);
  }
  return {
    toSafe: (name) => toSafe.get(name) ?? withoutDots(name),
    fromSafe: (alias) => fromSafe.get(alias) ?? alias,
  };
}

function withoutDots(name: string): string {
  return name.replaceAll(".", "_");
}
function count(taken: Map<string, number>, name: string): void {
  taken.set(name, (taken.get(name) ?? 0) + 1);
}
function marked(plain: string, name: string): string {
  const mark = `_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return plain.slice(0, LONGEST - mark.length) + mark;
}
