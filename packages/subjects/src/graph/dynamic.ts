import { checkFor } from "../define/check-value.ts";
import type { Facets } from "../define/facets.ts";
import type { Property } from "../define/property.ts";
import { p } from "../define/p.ts";
import { checkFacets, checkName, derivedSlot, valueSlot } from "../define/slot-from.ts";
import { clearStanding } from "../info/standing.ts";
import { accessorFor } from "../instance/accessors.ts";
import { Layout, type Slot } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { checkedValue } from "../instance/slot-access.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import type { Engine } from "./engine.ts";
import type { AttributeSpec, DerivedOptions } from "./registry.ts";
import { putValue } from "../instance/stored-value.ts";

/** Properties that one subject has beyond its type. They stay with it when it leaves the graph. */
export interface Dynamic {
  addProperty(node: Node, name: string, property: Property, value?: unknown): number;
  addDerived(node: Node, name: string, get: (subject: Subject) => unknown, options?: DerivedOptions): number;
  addAttribute(node: Node, owner: string, name: string, spec: AttributeSpec): number;
  remove(node: Node, name: string): void;
  /** Says something else about a property of this one subject. The kind of its values stays. */
  setFacets(node: Node, name: string, facets: Facets): void;
}

/** Properties added to one subject; each costs it a layout of its own. */
const MAX_SLOTS = 4_096;

export function createDynamic(engine: Engine, released: (node: Node, slot: number) => void): Dynamic {
  function add(node: Node, slot: Slot, value: unknown): number {
    checkFacets(slot.facets, `${node.layout.type.name}.${slot.name}`);
    if (node.layout.index.has(slot.name))
      throw subjectError("CONFLICT", `${node.layout.type.name} already has a property ${slot.name}.`, {
        retryable: false,
      });
    if (node.layout.type.methods.has(slot.name))
      throw subjectError("CONFLICT", `${slot.name} is a method of ${node.layout.type.name}.`, { retryable: false });
    if (node.layout.slots.length >= MAX_SLOTS)
      throw subjectError("VALIDATION_FAILED", `A subject has at most ${MAX_SLOTS} properties.`);
    const stored =
      slot.get === undefined && value !== undefined && value !== null ? checkedValue(node, slot, value) : slot.initial;
    const { layout, at } = node.layout.with(slot);
    engine.keepStanding(node);
    node.layout = layout;
    putValue(node, at, null);
    if (node.standing !== null) clearStanding(node.standing, at);
    Object.defineProperty(node.subject, slot.name, accessorFor(slot, at));
    if (node.core !== engine) {
      putValue(node, at, stored);
      return at;
    }
    engine.structureRevision += 1; // it may be a child property, and it is a segment that was not there
    if (slot.get !== undefined) {
      const computation = engine.derived.attach(node, at);
      computation.triggeredAt = engine.time.now();
      engine.derived.refresh(computation);
    } else engine.introduce(node, at, stored);
    return at;
  }

  return {
    addProperty(node, name, property, value) {
      checkName(name, node.layout.type.name);
      return add(node, valueSlot(name, property, property.facets, { dynamic: true }), value ?? property.initial);
    },
    addDerived(node, name, get, { set, ...facets } = {}) {
      checkName(name, node.layout.type.name);
      return add(
        node,
        derivedSlot(name, facets, get, { dynamic: true, ...(set === undefined ? {} : { set }) }),
        undefined,
      );
    },
    addAttribute(node, owner, name, spec) {
      checkName(name, `${node.layout.type.name}.${owner}`);
      if (!node.layout.index.has(owner) && !node.layout.type.methods.has(owner))
        throw subjectError("PATH_NOT_FOUND", `${node.layout.type.name} has no property or method ${owner}.`);
      const full = `${owner}@${name}`;
      if ("get" in spec) {
        const set = spec.set === undefined ? {} : { set: spec.set };
        return add(
          node,
          derivedSlot(full, spec.facets ?? {}, spec.get, { attributeOf: owner, dynamic: true, ...set }),
          undefined,
        );
      }
      const property: Property = spec.property ?? propertyFor(spec.value);
      return add(
        node,
        valueSlot(full, property, property.facets, { attributeOf: owner, dynamic: true }),
        spec.value ?? property.initial,
      );
    },
    setFacets(node, name, facets) {
      const at = node.layout.index.get(name);
      if (at === undefined) throw subjectError("PATH_NOT_FOUND", `${node.layout.type.name} has no property ${name}.`);
      checkFacets(facets, `${node.layout.type.name}.${name}`);
      const slot = node.layout.slot(at);
      const type =
        slot.type?.kind === "enum" && facets.enum !== undefined
          ? { kind: "enum" as const, members: facets.enum }
          : slot.type;
      engine.keepStanding(node);
      const changed: Slot = { ...slot, type, facets, check: type === undefined ? slot.check : checkFor(type) };
      node.layout = new Layout(node.layout.type, node.layout.slots.with(at, changed));
      if (node.core === engine) engine.structureRevision += 1; // it may be hidden, or be called otherwise
    },
    remove(node, name) {
      const at = node.layout.index.get(name);
      if (at === undefined) throw subjectError("PATH_NOT_FOUND", `${node.layout.type.name} has no property ${name}.`);
      if (!node.layout.slot(at).dynamic)
        throw subjectError(
          "VALIDATION_FAILED",
          `${name} belongs to the type ${node.layout.type.name} and cannot be removed.`,
        );
      for (const attribute of node.layout.attributes.get(name) ?? [])
        this.remove(node, node.layout.slot(attribute).name);
      engine.keepStanding(node);
      engine.derived.detachSlot(node, at);
      released(node, at);
      if (node.listeners !== null && at < node.listeners.length) node.listeners[at] = null;
      node.layout = node.layout.without(at);
      putValue(node, at, null);
      // The accessor was defined on this very object by `add`.
      Reflect.deleteProperty(node.subject, name);
      if (node.core === engine) engine.structureRevision += 1;
    },
  };
}

function propertyFor(value: unknown): Property {
  const facets: Facets = { nullable: true };
  if (typeof value === "number") return p.number(facets);
  if (typeof value === "boolean") return p.boolean(facets);
  if (typeof value === "string") return p.string(facets);
  return p.unknown(facets);
}
