import type { Slot } from "./layout.ts";
import { readDerived, readNumber, readSlot, writeAny, writeNumber } from "./slot-access.ts";
import type { Subject } from "./subject.ts";

type Accessor = PropertyDescriptor & ThisType<Subject>;

/**
 * One literal per slot, on purpose: the engine inlines a function whose slot number is a constant, while accessors made
 * by one factory share their feedback and cost twice as much (29 ns against 15 for a write with a listener).
 */
const NUMBERS: readonly Accessor[] = [
  {
    get() {
      return readNumber(this, 0);
    },
    set(v) {
      writeNumber(this, 0, v);
    },
  },
  {
    get() {
      return readNumber(this, 1);
    },
    set(v) {
      writeNumber(this, 1, v);
    },
  },
  {
    get() {
      return readNumber(this, 2);
    },
    set(v) {
      writeNumber(this, 2, v);
    },
  },
  {
    get() {
      return readNumber(this, 3);
    },
    set(v) {
      writeNumber(this, 3, v);
    },
  },
  {
    get() {
      return readNumber(this, 4);
    },
    set(v) {
      writeNumber(this, 4, v);
    },
  },
  {
    get() {
      return readNumber(this, 5);
    },
    set(v) {
      writeNumber(this, 5, v);
    },
  },
  {
    get() {
      return readNumber(this, 6);
    },
    set(v) {
      writeNumber(this, 6, v);
    },
  },
  {
    get() {
      return readNumber(this, 7);
    },
    set(v) {
      writeNumber(this, 7, v);
    },
  },
  {
    get() {
      return readNumber(this, 8);
    },
    set(v) {
      writeNumber(this, 8, v);
    },
  },
  {
    get() {
      return readNumber(this, 9);
    },
    set(v) {
      writeNumber(this, 9, v);
    },
  },
  {
    get() {
      return readNumber(this, 10);
    },
    set(v) {
      writeNumber(this, 10, v);
    },
  },
  {
    get() {
      return readNumber(this, 11);
    },
    set(v) {
      writeNumber(this, 11, v);
    },
  },
  {
    get() {
      return readNumber(this, 12);
    },
    set(v) {
      writeNumber(this, 12, v);
    },
  },
  {
    get() {
      return readNumber(this, 13);
    },
    set(v) {
      writeNumber(this, 13, v);
    },
  },
  {
    get() {
      return readNumber(this, 14);
    },
    set(v) {
      writeNumber(this, 14, v);
    },
  },
  {
    get() {
      return readNumber(this, 15);
    },
    set(v) {
      writeNumber(this, 15, v);
    },
  },
];

/** How a slot looks on the subject itself. */
export function accessorFor(slot: Slot, i: number): Accessor {
  return { ...bare(slot, i), enumerable: true, configurable: true };
}

function bare(slot: Slot, i: number): Accessor {
  if (slot.get !== undefined) {
    return {
      get() {
        return readDerived(this, i);
      },
      set(value) {
        writeAny(this, i, value);
      },
    };
  }
  // A subject that gained a number has no room for it among its bare numbers.
  const isQuick = slot.type?.kind === "number" && slot.facets.equals === undefined && !slot.dynamic;
  const quick = isQuick ? NUMBERS[i] : undefined;
  return (
    quick ?? {
      get() {
        return readSlot(this, i);
      },
      set(value) {
        writeAny(this, i, value);
      },
    }
  );
}
