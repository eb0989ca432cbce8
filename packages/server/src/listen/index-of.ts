/** Who wants to hear of what, found without looking at everybody. */
export interface IndexOf<T> {
  add(key: string, member: T): void;
  remove(key: string, member: T): void;
  get(key: string): Iterable<T>;
  keys(): Iterable<string>;
}

export function createIndexOf<T>(): IndexOf<T> {
  const sets = new Map<string, Set<T>>();
  return {
    add(key, member) {
      const set = sets.get(key);
      if (set === undefined) sets.set(key, new Set([member]));
      else set.add(member);
    },
    remove(key, member) {
      const set = sets.get(key);
      if (set?.delete(member) === true && set.size === 0) sets.delete(key);
    },
    get: (key) => sets.get(key) ?? [],
    keys: () => [...sets.keys()],
  };
}
