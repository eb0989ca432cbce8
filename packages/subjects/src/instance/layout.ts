import type { Subject } from "./subject.ts";
import type { ValueCheck } from "../define/check-value.ts";
import type { ChildShape } from "../define/child.ts";
import type { Facets } from "../define/facets.ts";
import type { MethodDetails } from "../define/m.ts";
import type { Method } from "../define/method.ts";
import type { ValueType } from "../define/value-type.ts";
import type { TypeDefinition } from "../info/providers.ts";
import type { PropertyKind } from "../info/subject-info.ts";

/** One place in a subject, compiled from its declaration. */
export interface Slot {
  readonly name: string;
  readonly kind: PropertyKind;
  /** Holds subjects. */
  readonly shape: ChildShape | undefined;
  readonly type: ValueType | undefined;
  readonly check: ValueCheck;
  readonly facets: Facets;
  readonly inline: boolean;
  /** What may be put into a child slot. */
  readonly of: (() => { readonly name: string }) | undefined;
  /** The property or method that this is an attribute of. */
  readonly attributeOf: string | undefined;
  readonly get: ((subject: Subject) => unknown) | undefined;
  readonly set: ((subject: Subject, value: unknown) => void) | undefined;
  readonly initial: unknown;
  /** Added to one subject at run time. */
  readonly dynamic: boolean;
}

export interface CompiledMethod {
  readonly name: string;
  readonly run: Method;
  readonly details: MethodDetails;
}

/** What all subjects of one concrete type share. */
export interface CompiledType {
  readonly name: string;
  readonly description: string | undefined;
  /** Full names, inherited ones included, in declaration order. */
  readonly interfaces: readonly string[];
  readonly interfaceDefinitions: readonly TypeDefinition[];
  readonly definition: TypeDefinition;
  readonly methods: ReadonlyMap<string, CompiledMethod>;
  readonly title: ((subject: Subject) => string | undefined) | undefined;
  readonly icon: ((subject: Subject) => string | undefined) | undefined;
  readonly iconColor: ((subject: Subject) => string | undefined) | undefined;
  readonly onAttach: ((subject: Subject) => void) | undefined;
  readonly onDetach: ((subject: Subject) => void) | undefined;
  readonly validate: ((state: Readonly<Record<string, unknown>>) => string | undefined | void) | undefined;
  /** Identity of the structure; two types of one name in one graph must share it. */
  readonly structure: string | undefined;
}

/**
 * The slots of a subject and where they are. Subjects of one type share one layout; a dynamic property moves its
 * subject to another, so that a lookup is one `Map.get` for every subject alike.
 */
export class Layout {
  readonly type: CompiledType;
  /** Null where a dynamic property was removed. */
  readonly slots: readonly (Slot | null)[];
  readonly index: ReadonlyMap<string, number>;
  readonly defaults: readonly unknown[];
  /** Defaults that are numbers, up to the last slot that may hold one; NaN in between. */
  readonly numbers: number[];
  /** Slots that hold subjects. */
  readonly childSlots: readonly number[];
  readonly derivedSlots: readonly number[];
  /** Slots whose values turn stale with time. */
  readonly agingSlots: readonly number[];
  /** The inline child slot, or -1. */
  readonly inlineSlot: number;
  /** Ordinary properties in listing order: positioned ones first. */
  readonly listed: readonly number[];
  /** Attribute slots by what they belong to. */
  readonly attributes: ReadonlyMap<string, readonly number[]>;

  constructor(type: CompiledType, slots: readonly (Slot | null)[]) {
    this.type = type;
    this.slots = slots;
    const index = new Map<string, number>();
    const attributes = new Map<string, number[]>();
    const childSlots: number[] = [];
    const derivedSlots: number[] = [];
    const agingSlots: number[] = [];
    const listed: number[] = [];
    let inlineSlot = -1;
    // A null first keeps the array generic, so that its copies never start as arrays of numbers and change kind later;
    // NaN keeps the other one an array of doubles for the same reason.
    const defaults: unknown[] = [null];
    const numbers: number[] = [NaN];
    slots.forEach((slot, i) => {
      const initial = slot?.initial ?? null;
      const isNumber = typeof initial === "number" && initial === initial;
      defaults[i] = isNumber ? null : initial;
      if (isNumber || (slot !== null && mayHoldNumber(slot))) {
        while (numbers.length < i) numbers.push(NaN);
        numbers[i] = isNumber ? initial : NaN;
      }
      if (slot === null) return;
      index.set(slot.name, i);
      if (slot.shape !== undefined) childSlots.push(i);
      if (slot.get !== undefined) derivedSlots.push(i);
      if (slot.facets.maxAgeMs !== undefined) agingSlots.push(i);
      if (slot.inline) inlineSlot = i;
      if (slot.attributeOf === undefined) listed.push(i);
      else attributes.set(slot.attributeOf, [...(attributes.get(slot.attributeOf) ?? []), i]);
    });
    if (slots.length === 0) defaults.length = 0;
    if (!slots.some((slot) => slot !== null && mayHoldNumber(slot))) numbers.length = 0;
    const positionOf = (i: number) => slots[i]?.facets.position ?? Number.POSITIVE_INFINITY;
    listed.sort((a, b) => (positionOf(a) === positionOf(b) ? a - b : positionOf(a) - positionOf(b)));
    this.index = index;
    this.defaults = defaults;
    this.numbers = numbers;
    this.childSlots = childSlots;
    this.derivedSlots = derivedSlots;
    this.agingSlots = agingSlots;
    this.inlineSlot = inlineSlot;
    this.listed = listed;
    this.attributes = attributes;
  }

  slot(i: number): Slot {
    const slot = this.slots[i];
    if (slot === undefined || slot === null) throw new RangeError(`${this.type.name} has no slot ${i}`);
    return slot;
  }

  /** The same with one more slot, which takes the first vacant place. */
  with(slot: Slot): { readonly layout: Layout; readonly at: number } {
    const vacant = this.slots.indexOf(null);
    const at = vacant === -1 ? this.slots.length : vacant;
    const slots = [...this.slots];
    slots[at] = slot;
    return { layout: new Layout(this.type, slots), at };
  }

  without(at: number): Layout {
    const slots = [...this.slots];
    slots[at] = null;
    return new Layout(this.type, slots);
  }
}

function mayHoldNumber({ type, shape, get }: Slot): boolean {
  return shape === undefined && (get !== undefined || type?.kind === "number" || type?.kind === "integer");
}
