import type { TypeDefinition, TypeProperty } from "../info/providers.ts";
import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";

/**
 * A type as if one subject of it were there. Path and metadata providers speak about subjects; asking them about this
 * one tells what they would expose of any.
 */
export function sampleOf(definition: TypeDefinition): SubjectInfo {
  const methods = new Map(definition.methods.map((method) => [method.name, sampleMethod(method)]));
  const info: SubjectInfo = {
    // Providers read records, not subjects (1.12); this one has nothing to read.
    subject: Object.freeze({ $type: definition.name, $path: null, $graph: null }) as unknown as Subject,
    id: "",
    type: definition.name,
    interfaces: definition.interfaces,
    path: null,
    title: undefined,
    icon: undefined,
    iconColor: undefined,
    description: definition.description,
    properties: () => definition.properties.map((property) => sampleProperty(info, property)),
    property: (name) => [...info.properties()].find((property) => property.name === name),
    methods: () => methods.values(),
    method: (name) => methods.get(name),
  };
  return info;
}

function sampleMethod(method: Omit<MethodInfo, "invoke">): MethodInfo {
  return {
    ...method,
    invoke() {
      throw new TypeError("A type's method can only be called on a subject.");
    },
  };
}

function sampleProperty(subject: SubjectInfo, { name, type, format, facets, isWritable }: TypeProperty): PropertyInfo {
  return {
    subject,
    name,
    kind: "value",
    shape: undefined,
    facets,
    value: null,
    valueType: undefined,
    type: type as PropertyInfo["type"], // definitions give JSON type names
    format,
    isWritable,
    isDynamic: false,
    isInline: false,
    quality: "unknown",
    changedAt: undefined,
    receivedAt: undefined,
    source: undefined,
    isAttribute: false,
    attributes: () => [],
    attribute: () => undefined,
  };
}
