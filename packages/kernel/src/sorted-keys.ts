/** Keys in code unit order, for lists that are paged while they grow. */
export interface SortedKeys {
  add(key: string): void;
  delete(key: string): void;
  /** From the first key that is `>= from` (or `> from` when exclusive), in order. */
  from(from: string, exclusive: boolean): Iterable<string>;
}

export function createSortedKeys(): SortedKeys {
  const keys: string[] = [];

  /** The first position whose key is not below `key`. `<` on strings compares code units. */
  function positionOf(key: string): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(key) {
      const at = positionOf(key);
      if (keys[at] !== key) keys.splice(at, 0, key);
    },
    delete(key) {
      const at = positionOf(key);
      if (keys[at] === key) keys.splice(at, 1);
    },
    *from(from, exclusive) {
      let at = positionOf(from);
      if (exclusive && keys[at] === from) at += 1;
      for (; at < keys.length; at += 1) yield keys[at] ?? "";
    },
  };
}
