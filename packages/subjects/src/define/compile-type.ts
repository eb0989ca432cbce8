import type { CompiledType, Slot } from "../instance/layout.ts";
import { Layout } from "../instance/layout.ts";
import type { Subject } from "../instance/subject.ts";
import { compileMethods, enabledSlots } from "./compile-methods.ts";
import { checkTypeName, withAncestors, type Children, type Interface, type Properties } from "./define-interface.ts";
import { checkAgainst, declaredType, mergeAttributes, mergeFacets } from "./merge-facets.ts";
import type { Method } from "./method.ts";
import type { Property } from "./property.ts";
import { checkFacets, checkName, childSlot, definitionError, derivedSlot, valueSlot } from "./slot-from.ts";
import { describeInterface, describeType } from "./type-definition.ts";

type Read = (subject: Subject) => unknown;
type Say = string | ((subject: never) => string | undefined);

export interface DerivedPart {
  readonly get: Read;
  readonly set?: (subject: Subject, value: unknown) => void;
  readonly property?: Property;
  readonly child?: "one" | "list" | "map";
}

/** A definition with the types of its author worn off. */
export interface Definition {
  readonly description?: string | undefined;
  readonly implements?: readonly Interface[] | undefined;
  readonly mixins?: readonly Part[] | undefined;
  readonly props?: Properties | undefined;
  readonly children?: Children | undefined;
  readonly derived?: Readonly<Record<string, Read | DerivedPart>> | undefined;
  readonly methods?: Readonly<Record<string, Method>> | undefined;
  readonly title?: Say | undefined;
  readonly icon?: Say | undefined;
  readonly iconColor?: Say | undefined;
  readonly onAttach?: ((subject: never) => void) | undefined;
  readonly onDetach?: ((subject: never) => void) | undefined;
  readonly validate?: ((state: never) => string | undefined | void) | undefined;
}
export type Part = Pick<Definition, "implements" | "props" | "children" | "derived" | "methods">;

/** Turns a definition into the layout that all its subjects share. Everything wrong with it is said here, once. */
export function compileType(name: string, definition: Definition, structure?: string): Layout {
  checkTypeName(name);
  const parts: readonly Part[] = [...(definition.mixins ?? []), definition];
  const interfaces = withAncestors(parts.flatMap((part) => part.implements ?? []));
  const methods = compileMethods(
    name,
    parts.map((part) => part.methods ?? {}),
    interfaces,
  );
  const slots = uniqueSlots(name, [
    ...parts.flatMap((part) => slotsOf(name, part, interfaces)),
    ...enabledSlots(methods),
  ]);
  for (const { name: slot } of slots)
    if (methods.has(slot)) throw definitionError(name, `${slot} is both a property and a method`);
  checkInterfaces(name, slots, interfaces);
  const type: CompiledType = {
    name,
    description: definition.description,
    interfaces: interfaces.map((one) => one.name),
    interfaceDefinitions: interfaces.map(describeInterface),
    definition: describeType(name, definition.description, interfaces, slots, methods),
    methods,
    title: sayer(definition.title),
    icon: sayer(definition.icon),
    iconColor: sayer(definition.iconColor),
    // The author's subject type fits the slots compiled from the same definition.
    onAttach: definition.onAttach as CompiledType["onAttach"],
    onDetach: definition.onDetach as CompiledType["onDetach"],
    validate: definition.validate as CompiledType["validate"],
    structure,
  };
  return new Layout(type, slots);
}

function slotsOf(where: string, part: Part, interfaces: readonly Interface[]): Slot[] {
  return [
    ...Object.entries(part.props ?? {}).flatMap(([name, property]) => propertySlots(where, name, property, interfaces)),
    ...Object.entries(part.children ?? {}).map(([name, child]) => {
      if (child.inline && child.shape !== "map")
        throw definitionError(where, `${name} is inline, which only a map can be`);
      return childSlot(name, child);
    }),
    ...Object.entries(part.derived ?? {}).flatMap(([name, given]) => derivedSlots(where, name, given, interfaces)),
  ];
}

function propertySlots(where: string, name: string, property: Property, interfaces: readonly Interface[]): Slot[] {
  checkAgainst(property, name, interfaces, where);
  const facets = mergeFacets(property.facets, name, interfaces);
  const attributes = mergeAttributes(property.attributes, name, interfaces);
  return [valueSlot(name, property, facets), ...attributeSlots(where, name, attributes)];
}

function derivedSlots(
  where: string,
  name: string,
  given: Read | DerivedPart,
  interfaces: readonly Interface[],
): Slot[] {
  const { get, set, property, child } = typeof given === "function" ? { get: given } : given;
  const declared = property ?? declaredType(name, interfaces);
  const facets = mergeFacets(property?.facets ?? {}, name, interfaces);
  const slot =
    declared === undefined
      ? derivedSlot(name, facets, get, { ...(set ? { set } : {}), ...(child ? { shape: child } : {}) })
      : valueSlot(name, declared, facets, { get, ...(set ? { set } : {}) });
  return [slot, ...attributeSlots(where, name, mergeAttributes(property?.attributes ?? {}, name, interfaces))];
}

/** Attributes of attributes too: `pressure@minimum@source`. */
function attributeSlots(where: string, owner: string, attributes: Property["attributes"]): Slot[] {
  return Object.entries(attributes).flatMap(([name, property]) => {
    checkName(name, `${where}.${owner}`);
    const full = `${owner}@${name}`;
    return [
      valueSlot(full, property, property.facets, { attributeOf: owner }),
      ...attributeSlots(where, full, property.attributes),
    ];
  });
}

function uniqueSlots(where: string, slots: readonly Slot[]): readonly Slot[] {
  const seen = new Set<string>();
  let inline = 0;
  for (const slot of slots) {
    if (slot.attributeOf === undefined) checkName(slot.name, where);
    checkFacets(slot.facets, `${where}.${slot.name}`);
    if (seen.has(slot.name)) throw definitionError(where, `two properties are called ${slot.name}`);
    seen.add(slot.name);
    if (slot.inline && ++inline > 1) throw definitionError(where, "only one child property can be inline");
  }
  return slots;
}

function checkInterfaces(where: string, slots: readonly Slot[], interfaces: readonly Interface[]): void {
  const names = new Set(slots.map((slot) => slot.name));
  for (const one of interfaces)
    for (const name of Object.keys(one.props))
      if (!names.has(name)) throw definitionError(where, `${name} is missing, which ${one.name} asks for`);
}

function sayer(said: Say | undefined): ((subject: Subject) => string | undefined) | undefined {
  if (said === undefined) return undefined;
  if (typeof said === "string") return () => said;
  return said as (subject: Subject) => string | undefined; // given by the same definition
}
