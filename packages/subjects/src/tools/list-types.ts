import type { Json, JsonObject } from "@steading/kernel";
import type * as z from "zod";
import type { TypeDefinition, TypeEntry } from "../info/providers.ts";
import { parametersOf, returnTypeOf } from "./method-arguments.ts";
import type { ListTypesInput, ListTypesOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";
import { sampleOf } from "./type-sample.ts";

/** Known types, sorted by name; interfaces unless asked otherwise, because agents search by what things can do. */
export function answerListTypes(world: World, input: z.infer<typeof ListTypesInput>): z.infer<typeof ListTypesOutput> {
  const kind = input.kind ?? "interfaces";
  const wanted = input.type?.toLowerCase() ?? "";
  const entries = world.types.entries().filter((entry) => {
    if (kind !== "all" && entry.isInterface !== (kind === "interfaces")) return false;
    return wanted === "" || `${entry.name}\n${entry.description ?? ""}`.toLowerCase().includes(wanted);
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { types: entries.map((entry) => typeJson(world, entry, input.detail === true)) };
}

function typeJson(world: World, entry: TypeEntry, detail: boolean): { name: string } & Record<string, Json> {
  const { name, definition, isInterface } = entry;
  const description = entry.description ?? definition?.description;
  const above = (definition?.interfaces ?? []).filter((one) => one !== name && world.types.isKnownInterface(one));
  return {
    name,
    ...(description === undefined ? {} : { description }),
    isInterface,
    count: world.view.countOfType(name),
    ...(isInterface && above.length > 0 ? { extends: above } : {}),
    ...(isInterface ? {} : { interfaces: above }),
    ...(isInterface && detail ? members(world, definition) : {}),
  };
}

/** Only what the path provider would expose and the metadata providers would list. */
function members(world: World, definition: TypeDefinition | undefined): JsonObject {
  if (definition === undefined) return { properties: [], methods: [] };
  const sample = sampleOf(definition);
  const properties: Json[] = [];
  for (const property of sample.properties()) {
    if (property.facets.secret === true || !world.provider.includes(property)) continue;
    properties.push({
      name: world.provider.segment(property) ?? property.name,
      type: property.type,
      ...(property.facets.unit === undefined ? {} : { unit: property.facets.unit }),
      isWritable: property.isWritable && world.access.mayAct,
    });
  }
  const methods = [...world.metadata.methods(sample).values()].map((method): Json => {
    const returnType = returnTypeOf(method.output);
    return {
      name: method.name,
      kind: method.kind,
      ...(returnType === undefined ? {} : { returnType }),
      parameters: [...parametersOf(method)],
    };
  });
  return { properties, methods };
}
