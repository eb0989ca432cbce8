import type { CompiledMethod, Slot } from "../instance/layout.ts";
import type { TypeDefinition, TypeProperty } from "../info/providers.ts";
import type { MethodInfo } from "../info/subject-info.ts";
import { methodName } from "./compile-methods.ts";
import { withAncestors, type Interface } from "./define-interface.ts";
import { jsonFace } from "./json-face.ts";
import { methodDetails, type MethodDetails } from "./m.ts";
import type { Method } from "./method.ts";

type Described = Omit<MethodInfo, "invoke">;

export function describeInterface(one: Interface): TypeDefinition {
  const ancestors = withAncestors(one.extends);
  const family = [one, ...ancestors];
  const properties = new Map<string, TypeProperty>();
  const methods = new Map<string, Described>();
  for (const each of family) {
    for (const [name, property] of Object.entries(each.props)) {
      if (properties.has(name)) continue;
      const { type, format } = jsonFace(property.type);
      const isWritable = property.facets.writable === true;
      properties.set(name, {
        name,
        type,
        ...(format === undefined ? {} : { format }),
        facets: property.facets,
        isWritable,
      });
    }
    for (const [given, method] of Object.entries(each.methods) as [string, Method][]) {
      const name = methodName(given);
      const details = methodDetails(method);
      if (!methods.has(name))
        methods.set(name, describeMethod(name, details ?? { kind: "operation", spec: {}, isImplemented: false }));
    }
  }
  return {
    name: one.name,
    ...(one.description === undefined ? {} : { description: one.description }),
    interfaces: ancestors.map((each) => each.name),
    properties: [...properties.values()],
    methods: [...methods.values()],
  };
}

export function describeType(
  name: string,
  description: string | undefined,
  interfaces: readonly Interface[],
  slots: readonly Slot[],
  methods: ReadonlyMap<string, CompiledMethod>,
): TypeDefinition {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    interfaces: interfaces.map((one) => one.name),
    properties: slots.filter((slot) => slot.attributeOf === undefined && slot.shape === undefined).map(describeSlot),
    methods: [...methods.values()].map((method) => describeMethod(method.name, method.details)),
  };
}

function describeSlot(slot: Slot): TypeProperty {
  const { type, format } = jsonFace(slot.type);
  return {
    name: slot.name,
    type,
    ...(format === undefined ? {} : { format }),
    facets: slot.facets,
    isWritable: isSlotWritable(slot),
  };
}

/** May outsiders write it: the facet says so, and there is something to write to. */
export function isSlotWritable(slot: Slot): boolean {
  return (
    slot.facets.writable === true && slot.shape === undefined && (slot.get === undefined || slot.set !== undefined)
  );
}

export function describeMethod(name: string, { kind, spec }: MethodDetails): Described {
  const { enabled: _enabled, ...shown } = spec;
  return { name, kind, ...shown };
}
