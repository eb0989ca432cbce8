import type { Subject } from "./subject.ts";

interface Undo {
  readonly key: string;
  /** What was there; undefined when nothing was. */
  readonly value: Subject | undefined;
}

/**
 * A map of children that cannot be changed. A changed copy takes over the table of its original, which from then on
 * remembers only the difference: putting one child into a map of 100 000 costs the same as into an empty one, and an
 * older value that somebody still holds is worked out when it is looked at.
 */
export class ChildMap implements ReadonlyMap<string, Subject> {
  #table: Map<string, Subject> | null;
  /** Somebody walks the table: it must not change any more. */
  #handedOut = false;
  #newer: ChildMap | null = null;
  #undo: Undo | null = null;

  constructor(table: Map<string, Subject>) {
    this.#table = table;
  }

  /** Shared by everybody who has no children, hence never handed over. */
  static readonly EMPTY: ChildMap = new ChildMap(new Map());
  static {
    ChildMap.EMPTY.#handedOut = true;
  }

  get size(): number {
    return this.#own().size;
  }
  get(key: string): Subject | undefined {
    return this.#own().get(key);
  }
  has(key: string): boolean {
    return this.#own().has(key);
  }
  keys(): MapIterator<string> {
    return this.#shared().keys();
  }
  values(): MapIterator<Subject> {
    return this.#shared().values();
  }
  entries(): MapIterator<[string, Subject]> {
    return this.#shared().entries();
  }
  [Symbol.iterator](): MapIterator<[string, Subject]> {
    return this.#shared()[Symbol.iterator]();
  }
  forEach(visit: (value: Subject, key: string, map: ReadonlyMap<string, Subject>) => void): void {
    this.#shared().forEach((value, key) => visit(value, key, this));
  }
  get [Symbol.toStringTag](): string {
    return "ChildMap";
  }

  /** For code that finishes its walk before anything can change. */
  static peek(map: ChildMap): ReadonlyMap<string, Subject> {
    return map.#own();
  }

  /** The same map with `key` set, or without it when `value` is undefined. */
  static changed(map: ChildMap, key: string, value: Subject | undefined): ChildMap {
    let table = map.#own();
    const undo: Undo = { key, value: table.get(key) };
    const handedOver = !map.#handedOut;
    if (!handedOver) table = new Map(table);
    if (value === undefined) table.delete(key);
    else table.set(key, value);
    const newer = new ChildMap(table);
    if (handedOver) {
      map.#table = null;
      map.#newer = newer;
      map.#undo = undo;
    }
    return newer;
  }

  #shared(): Map<string, Subject> {
    const table = this.#own();
    this.#handedOut = true;
    return table;
  }

  #own(): Map<string, Subject> {
    if (this.#table !== null) return this.#table;
    const undos: Undo[] = this.#undo === null ? [] : [this.#undo];
    let newer = this.#newer;
    while (newer !== null && newer.#table === null) {
      if (newer.#undo !== null) undos.push(newer.#undo);
      newer = newer.#newer;
    }
    const table = new Map(newer === null ? null : newer.#table);
    for (const { key, value } of undos.reverse()) {
      if (value === undefined) table.delete(key);
      else table.set(key, value);
    }
    this.#table = table;
    this.#newer = null;
    this.#undo = null;
    return table;
  }
}
