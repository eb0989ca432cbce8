import type { Json, Log } from "@steading/kernel";
import type { MetadataProvider } from "../info/providers.ts";
import type { MethodInfo, PropertyInfo, SubjectInfo, TypeInfo } from "../info/subject-info.ts";
import { displayText } from "./display-text.ts";
import { faceOf, LISTED } from "./value-face.ts";

/** What providers must not touch: these say where and what a node is. */
const PROTECTED = new Set(["$path", "$id", "$ref", "$hasChildren"]);
/** What an entry says by itself; a provider's field of that name would hide the truth. */
const PROTECTED_IN_PROPERTY = new Set(["value", "type", "isWritable", "quality", "length", "attributes"]);
/** Distinct complaints remembered, so that a provider with ever-changing messages cannot fill the memory. */
const MAX_REMEMBERED = 1_000;

/** What metadata providers say, put together in their order. A provider that throws is left out for that one thing. */
export interface Metadata {
  /** Undefined when no provider speaks about subjects. */
  subjectFields(subject: SubjectInfo): Record<string, Json> | undefined;
  /** Does any of those fields hold a text that passes? The quick way for searches: nothing is put together. */
  saysOf(subject: SubjectInfo, passes: (text: string, field: string) => boolean): boolean;
  /** Undefined when no provider speaks about properties. */
  propertyFields(property: PropertyInfo): Record<string, Json> | undefined;
  /** By name; a declared method wins over a contributed one of the same name. */
  methods(subject: SubjectInfo): ReadonlyMap<string, MethodInfo>;
  types(): readonly TypeInfo[];
}

export function createMetadata({
  providers,
  log,
}: {
  providers: readonly MetadataProvider[];
  log: () => Log;
}): Metadata {
  const complained = new Set<string>();

  function ask<T>(number: number, what: string, question: () => T): T | undefined {
    try {
      return question();
    } catch (cause) {
      const key = `${number} ${what} ${cause instanceof Error ? cause.message : String(cause)}`;
      if (!complained.has(key) && complained.size < MAX_REMEMBERED) {
        complained.add(key);
        log().error("A metadata provider threw; its output is left out.", cause, { provider: number, what });
      }
      return undefined;
    }
  }

  /** Only those who have something to say are asked, thousands of times in one answer. */
  const numbered = providers.map((provider, number) => ({ provider, number }));
  const aboutSubjects = numbered.filter(({ provider }) => provider.subject !== undefined);
  const aboutProperties = numbered.filter(({ provider }) => provider.property !== undefined);

  return {
    subjectFields(subject) {
      if (aboutSubjects.length === 0) return undefined;
      const fields: Record<string, Json> = {};
      for (const { provider, number } of aboutSubjects)
        for (const [key, value] of ask(number, "subject", () => Object.entries(provider.subject?.(subject) ?? {})) ??
          [])
          if (key.startsWith("$") && !PROTECTED.has(key)) setField(fields, key, value);
      return fields;
    },
    saysOf(subject, passes) {
      const [only] = aboutSubjects;
      if (only === undefined) return false;
      // With several, a later one may have overwritten what an earlier one said.
      const said =
        aboutSubjects.length > 1
          ? this.subjectFields(subject)
          : ask(only.number, "subject", () => only.provider.subject?.(subject));
      if (said === undefined) return false;
      for (const field in said) {
        const text: unknown = said[field as `$${string}`];
        if (typeof text === "string" && field.startsWith("$") && !PROTECTED.has(field) && passes(text, field))
          return true;
      }
      return false;
    },
    propertyFields(property) {
      if (aboutProperties.length === 0) return undefined;
      const fields: Record<string, Json> = {};
      for (const { provider, number } of aboutProperties)
        for (const [key, value] of ask(number, "property", () => Object.entries(provider.property?.(property) ?? {})) ??
          [])
          if (!PROTECTED_IN_PROPERTY.has(key)) setField(fields, key, value);
      return fields;
    },
    methods(subject) {
      const methods = new Map<string, MethodInfo>();
      providers.forEach((provider, number) => {
        if (provider.methods === undefined) return;
        for (const method of ask(number, "methods", () => [...(provider.methods?.(subject) ?? [])]) ?? [])
          if (!methods.has(method.name)) methods.set(method.name, subject.method(method.name) ?? method);
      });
      return methods;
    },
    types: () =>
      providers.flatMap((provider, number) => ask(number, "types", () => [...(provider.types?.() ?? [])]) ?? []),
  };
}

/** Null and undefined take an earlier provider's word back. */
function setField(fields: Record<string, Json>, key: string, value: unknown): void {
  if (key === "__proto__") return;
  if (value === undefined || value === null) delete fields[key];
  else fields[key] = typeof value === "string" ? displayText(value) : faceOf(value, LISTED).value;
}
