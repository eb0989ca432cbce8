import type { JsonObject } from "@steading/kernel";
import * as z from "zod";
import { defineInterface, type Interface } from "../define/define-interface.ts";
import type { Facets } from "../define/facets.ts";
import { m } from "../define/m.ts";
import { subjectType } from "../define/make-subject-type.ts";
import type { Method } from "../define/method.ts";
import { p } from "../define/p.ts";
import type { Property } from "../define/property.ts";
import type { StandardSchema } from "../define/standard-schema.ts";
import type { SubjectType } from "../define/subject-type.ts";
import { unitFrom } from "../define/units.ts";
import type { Subject } from "../instance/subject.ts";
import { SubjectError } from "../subject-error.ts";
import type { DataDefinition, DataMethod, DataProperty, Invoke } from "./data-definition.ts";

/** Hidden properties that carry what a type made from data cannot know: it is shared by many subjects. */
export const TITLE = "thingTitle";
export const ABOUT = "thingDescription";

/** Remembered interfaces, schemas and calls, so that equal data makes equal types. */
const MAX_REMEMBERED = 10_000;

/** A type from data, by the same `defineSubject` as a hand-written one. Equal data is one type, however often it comes. */
export function defineFromData({ name, description, interfaces, properties, methods }: DataDefinition): SubjectType {
  // Where a value comes from differs from device to device and is no part of the type.
  const shared = (key: string, value: unknown): unknown => (key === "source" ? true : value);
  return typeFrom(JSON.stringify({ name, description, interfaces, properties, methods }, shared));
}

const typeFrom = remembering((json: string): SubjectType => compile(JSON.parse(json) as DataDefinition)); // written just above

function compile(data: DataDefinition): SubjectType {
  const props: Record<string, Property> = {};
  for (const [name, property] of Object.entries(data.properties)) put(props, name, propertyFrom(property));
  put(props, TITLE, p.string({ exposed: false, nullable: true, role: "config" }));
  put(props, ABOUT, p.string({ exposed: false, nullable: true, role: "config" }));
  const methods: Record<string, Method> = {};
  for (const [name, method] of Object.entries(data.methods ?? {})) put(methods, name, methodFrom(name, method));
  return subjectType(data.name, {
    description: data.description,
    implements: (data.interfaces ?? []).map(interfaceNamed),
    props,
    methods,
    title: titleOf,
  });
}

function titleOf(subject: Subject): string | undefined {
  const title = subject.$get(TITLE);
  return typeof title === "string" ? title : undefined;
}

/** Not by assignment: a device may call its property __proto__. */
function put<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

export function propertyFrom(data: DataProperty): Property {
  const property = typed(data, facetsFrom(data));
  return data.source === undefined ? property : property.attribute("source", p.unknown({ nullable: true }));
}

function facetsFrom({
  unit,
  writable,
  nullable,
  min,
  max,
  step,
  role,
  title,
  description,
  cumulative,
  discrete,
  position,
  maxAgeMs,
}: DataProperty): Facets {
  const facets = {
    writable,
    nullable,
    min,
    max,
    step,
    role,
    title,
    description,
    cumulative,
    discrete,
    position,
    maxAgeMs,
  };
  const given = Object.entries(facets).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as Facets),
    ...(unit === undefined || unit === "" ? {} : { unit: unitFrom(unit) }),
  };
}

function typed({ type = "unknown", enum: members, bits }: DataProperty, facets: Facets): Property {
  if (members !== undefined) return p.enum(members, facets);
  switch (type) {
    case "number":
      return p.number(facets);
    case "integer":
      return p.integer({ ...facets, ...(bits === undefined ? {} : { bits }) });
    case "boolean":
      return p.boolean(facets);
    case "date-time":
      return p.dateTime(facets);
    case "date":
      return p.date(facets);
    case "time":
      return p.time(facets);
    case "duration":
      return p.duration(facets);
    case "uuid":
      return p.uuid(facets);
    case "url":
      return p.url(facets);
    case "bytes":
      return p.bytes(facets);
    case "list":
      return p.list(undefined, facets);
    case "record":
      return p.record(facets);
    case "string":
      return p.string(facets);
    default:
      return p.unknown(facets);
  }
}

function remembering<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const [oldest] = known.keys();
    if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

const interfaceNamed = remembering((name: string): Interface => defineInterface(name));

const schemaFrom = remembering((json: string): StandardSchema => {
  // The text was made from the JSON Schema that the data carried.
  const schema: StandardSchema = z.fromJSONSchema(JSON.parse(json) as z.core.JSONSchema.JSONSchema);
  return schema;
});

function schemaOf(json: JsonObject): StandardSchema {
  return schemaFrom(JSON.stringify(json));
}

const invokers = new WeakMap<Subject, Invoke>();

export function setInvoker(subject: Subject, invoke: Invoke): void {
  invokers.set(subject, invoke);
}

function methodFrom(name: string, data: DataMethod): Method {
  return methodNamed(JSON.stringify([name, { ...data, source: undefined }]));
}

const methodNamed = remembering((key: string): Method => {
  const [name, data] = JSON.parse(key) as [string, DataMethod]; // made just above
  const { kind = "operation", input, output, ...shown } = data;
  const spec = {
    ...shown,
    ...(input === undefined ? {} : { input: schemaOf(input) }),
    ...(output === undefined ? {} : { output: schemaOf(output) }),
  };
  return m[kind](spec, (subject: Subject, args: object, { signal }) => {
    const invoke = invokers.get(subject);
    if (invoke === undefined) throw new SubjectError(`${name} cannot be called: nothing is bound to it.`);
    return invoke(name, { ...args }, signal);
  });
});
