import type { Registry } from "../graph/registry.ts";
import type { TypeEntry } from "../info/providers.ts";
import { nearNames } from "./near-names.ts";
import { toolError } from "./tool-errors.ts";
import type { CollectedConfig } from "./tools-config.ts";
import type { Metadata } from "./metadata.ts";

/** Every type that answers may name and filters may ask for. Made per call: providers may learn of new ones. */
export interface TypeCatalogue {
  entries(): readonly TypeEntry[];
  isKnownInterface(name: string): boolean;
  /** Full names for what a caller wrote. Throws INVALID_ARGUMENTS for unknown and for ambiguous names. */
  fullNames(given: readonly string[], field: string): ReadonlySet<string>;
}

export function createTypeCatalogue({
  registry,
  typeProviders,
  metadata,
}: {
  registry: Registry;
  typeProviders: CollectedConfig["typeProviders"];
  metadata: Metadata;
}): TypeCatalogue {
  let byName: ReadonlyMap<string, TypeEntry> | undefined;

  function known(): ReadonlyMap<string, TypeEntry> {
    if (byName !== undefined) return byName;
    const made = new Map<string, TypeEntry>();
    const add = (entry: TypeEntry): unknown => made.has(entry.name) || made.set(entry.name, entry);
    for (const entry of registry.types()) add(entry);
    for (const provider of typeProviders) for (const entry of provider.types()) add(entry);
    for (const { name, description, isInterface = true } of metadata.types())
      add({ name, isInterface, definition: undefined, ...(description === undefined ? {} : { description }) });
    return (byName = made);
  }

  function fullName(given: string, field: string): string {
    if (known().has(given)) return given;
    const candidates = [...known().keys()].filter((name) => shortName(name) === given);
    if (candidates.length === 1 && candidates[0] !== undefined) return candidates[0];
    if (candidates.length > 1)
      throw toolError(
        "INVALID_ARGUMENTS",
        `${JSON.stringify(given)} in ${field} stands for several types: ${candidates.join(", ")}.`,
        {
          details: { field, candidates },
        },
      );
    const near = nearTypes(given);
    const advice = near.length === 0 ? "list_types shows what there is" : `did you mean ${near.join(" or ")}?`;
    throw toolError(
      "INVALID_ARGUMENTS",
      `No type ${JSON.stringify(given.slice(0, 200))} is known (${field}); ${advice}`,
      {
        details: { field, suggestions: near },
      },
    );
  }

  /** Most people remember the last part, so that is compared too. */
  function nearTypes(given: string): string[] {
    const names = [...known().keys()];
    const byShort = new Set(nearNames(shortName(given), names.map(shortName)));
    return [...new Set([...nearNames(given, names), ...names.filter((name) => byShort.has(shortName(name)))])].slice(
      0,
      5,
    );
  }

  return {
    entries: () => [...known().values()],
    isKnownInterface: (name) => known().get(name)?.isInterface === true,
    fullNames: (given, field) => new Set(given.map((name) => fullName(name, field))),
  };
}

export function shortName(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf(".") + 1);
}
