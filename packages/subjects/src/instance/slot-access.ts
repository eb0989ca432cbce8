import { recordedRead, track, tracking } from "../derived/tracking.ts";
import { subjectError } from "../subject-error.ts";
import { normaliseChildren } from "./child-value.ts";
import { nodeOf } from "./held.ts";
import { CLEAN, DELIVERING, type Listener, type Node, type Pulse } from "./node.ts";
import { sameValue } from "./same-value.ts";
import { putValue, valueAt } from "./stored-value.ts";
import type { Slot } from "./layout.ts";
import type { Subject } from "./subject.ts";

export function readSlot(subject: Subject, i: number): unknown {
  const node = nodeOf(subject);
  return tracking.recorder === null ? valueAt(node, i) : recordedRead(node, i);
}

export function readDerived(subject: Subject, i: number): unknown {
  return derivedValue(nodeOf(subject), i);
}

/** Any slot, by number. */
export function slotValue(node: Node, i: number): unknown {
  if (node.layout.slots[i]?.get !== undefined) return derivedValue(node, i);
  return tracking.recorder === null ? valueAt(node, i) : recordedRead(node, i);
}

function derivedValue(node: Node, i: number): unknown {
  if (tracking.overlay !== null) return tracking.overlay(node, i);
  const computation = node.extra?.computations?.[i];
  if (computation === undefined || node.core === null) return node.layout.slot(i).get?.(node.subject);
  // Noted before it is computed: if that fails because of a loop, the loop must be known when it is tried again.
  if (tracking.recorder !== null) track(node, i);
  if (computation.state !== CLEAN) node.core.refresh(computation);
  return valueAt(node, i);
}

/** A slot that usually holds a number. */
export function readNumber(subject: Subject, i: number): unknown {
  const node = nodeOf(subject);
  if (tracking.recorder !== null) return recordedRead(node, i);
  const number = node.numbers[i];
  return number === number ? number : node.values[i];
}

/**
 * The quick write, for slots that hold plain numbers: from one number to another, with nobody but listeners to tell.
 * Everything unusual goes the long way. It does what `tell` does by itself, because the call would cost a tenth of it.
 */
export function writeNumber(subject: Subject, i: number, value: unknown): void {
  const node = nodeOf(subject);
  const numbers = node.numbers;
  const old = numbers[i];
  if (old === value) return;
  const pulse = node.pulse;
  // NaN, on either side, stands for what is not a plain number.
  if (typeof value !== "number" || pulse.closed !== 0 || old !== old || value !== value)
    return writeSlot(node, i, value);
  numbers[i] = value;
  pulse.revision += 1;
  const listeners = node.listeners;
  if (listeners === null) return;
  const listener = listeners[i];
  if (listener === null || listener === undefined) return;
  pulse.closed += DELIVERING;
  try {
    listener(value, old, subject);
  } catch (error) {
    pulse.core?.listenerFailed(error, node, i);
  }
  pulse.closed -= DELIVERING;
  if (pulse.waiting) pulse.core?.flush();
}

function tell(pulse: Pulse, listener: Listener, value: unknown, old: unknown, node: Node, i: number): void {
  pulse.closed += DELIVERING;
  try {
    listener(value, old, node.subject);
  } catch (error) {
    pulse.core?.listenerFailed(error, node, i);
  }
  pulse.closed -= DELIVERING;
  if (pulse.waiting) pulse.core?.flush();
}

export function writeAny(subject: Subject, i: number, value: unknown): void {
  writeSlot(nodeOf(subject), i, value);
}

/** A write by the code that owns the subject: checked for its type, not for range or `writable`. */
export function writeSlot(node: Node, i: number, value: unknown): void {
  const slot = node.layout.slot(i);
  if (slot.get !== undefined) {
    if (slot.set === undefined) throw notSettable(node, slot);
    slot.set(node.subject, value);
    return;
  }
  const stored =
    slot.shape === undefined ? checkedValue(node, slot, value) : normaliseChildren(node, slot, value, node.values[i]);
  const old = valueAt(node, i);
  if (isSame(slot, old, stored)) return;
  if (node.core === null) putValue(node, i, stored);
  else if (node.pulse.closed !== 0 || slot.shape !== undefined) node.core.write(node, i, stored);
  else storeAndTell(node, i, stored, old);
}

/** For a subject whose pulse is open: nobody but a listener of this very slot needs to know. */
function storeAndTell(node: Node, i: number, value: unknown, old: unknown): void {
  putValue(node, i, value);
  node.pulse.revision += 1;
  const listener = node.listeners?.[i] ?? null;
  if (listener !== null) tell(node.pulse, listener, value, old, node, i);
}

export function isSame(slot: Slot, old: unknown, value: unknown): boolean {
  const equals = slot.facets.equals;
  if (equals === undefined || old === null || value === null) return sameValue(old, value);
  return equals(old as never, value as never); // the facet's own types match the property's
}

export function checkedValue(node: Node, slot: Slot, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (slot.facets.nullable === true) return null;
    throw subjectError("NULL_NOT_ALLOWED", `${nameOf(node, slot)} cannot be null.`);
  }
  if (!slot.check(value)) throw mismatch(node, slot, value);
  return value;
}

export function mismatch(node: Node, slot: Slot, value: unknown): Error {
  const expected = slot.type?.kind ?? "value";
  const code = slot.type?.kind === "schema" ? "VALIDATION_FAILED" : "TYPE_MISMATCH";
  const received = Array.isArray(value) ? "array" : typeof value;
  return subjectError(code, `${nameOf(node, slot)} takes ${expected}, not ${received}.`, {
    details: { expected, received },
  });
}

function notSettable(node: Node, slot: Slot): Error {
  return subjectError("PROPERTY_NOT_WRITABLE", `${nameOf(node, slot)} is computed and has no setter.`);
}

function nameOf(node: Node, slot: Slot): string {
  return `${slot.name} of ${node.layout.type.name}`;
}
