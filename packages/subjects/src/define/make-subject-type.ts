import type { Json, JsonObject } from "@steading/kernel";
import { accessorFor } from "../instance/accessors.ts";
import { normaliseChildren } from "../instance/child-value.ts";
import { isSubject, nodeOf } from "../instance/held.ts";
import type { Layout } from "../instance/layout.ts";
import { checkedValue } from "../instance/slot-access.ts";
import { SubjectBase } from "../instance/subject-base.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import { compileType, type Definition } from "./compile-type.ts";
import { methodSchemas, propertiesSchema } from "./json-schema.ts";
import { structureKey } from "./structure-key.ts";
import type { SubjectType } from "./subject-type.ts";
import { putValue } from "../instance/stored-value.ts";

/** Types kept for reuse; beyond it the oldest is forgotten, which costs memory for a twin and nothing else. */
const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, SubjectType>();

export function subjectType(name: string, definition: Definition): SubjectType {
  const structure = structureKey(name, definition);
  const known = remembered.get(structure);
  if (known !== undefined) return known;
  const made = makeType(compileType(name, definition, structure));
  if (remembered.size >= MAX_REMEMBERED) {
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }
  remembered.set(structure, made);
  return made;
}

function makeType(layout: Layout): SubjectType {
  class TypedSubject extends SubjectBase {
    constructor(initial?: unknown) {
      super(layout);
      if (initial !== undefined && initial !== null) fill(this as unknown as Subject, initial); // accessors are on the prototype
    }
  }
  layout.slots.forEach((slot, i) => {
    if (slot !== null) Object.defineProperty(TypedSubject.prototype, slot.name, accessorFor(slot, i));
  });
  const { type } = layout;
  const made: SubjectType = {
    name: type.name,
    definition: type.definition,
    create: (initial) => new TypedSubject(initial) as unknown as Subject,
    class: TypedSubject as unknown as SubjectType["class"],
    is: (value): value is Subject => isSubject(value) && nodeOf(value).layout.type === type,
    jsonSchema(): { properties: JsonObject; methods: Readonly<Record<string, Json>> } {
      return { properties: propertiesSchema(layout), methods: methodSchemas(layout) };
    },
  };
  return made;
}

/** Puts initial values into a subject that nobody has seen yet. */
function fill(subject: Subject, initial: unknown): void {
  const node = nodeOf(subject);
  const name = node.layout.type.name;
  if (typeof initial !== "object" || initial === null)
    throw subjectError("TYPE_MISMATCH", `${name} is created from an object of values.`);
  for (const [key, value] of Object.entries(initial)) {
    const i = node.layout.index.get(key);
    if (i === undefined) throw subjectError("PATH_NOT_FOUND", `${name} has no property ${key}.`);
    if (value === undefined) continue;
    const slot = node.layout.slot(i);
    if (slot.get !== undefined) throw subjectError("PROPERTY_NOT_WRITABLE", `${key} of ${name} is computed.`);
    if (slot.shape !== undefined) node.values[i] = normaliseChildren(node, slot, value, node.values[i]);
    else putValue(node, i, value === null ? null : checkedValue(node, slot, value));
  }
}
