import type { PathProvider } from "../info/providers.ts";
import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import type { MetadataProvider } from "../info/providers.ts";

/** Only what was opted in for this consumer by `.path(consumer, segment)`. */
export function explicit(consumer: string): PathProvider {
  return {
    includes: (property) => segmentFor(property, consumer) !== undefined,
    segment: (property) => segmentFor(property, consumer) ?? null,
  };
}

/** All state that is exposed and not secret, and every child property. With `config`, configuration too. */
export function state({ config = false }: { readonly config?: boolean } = {}): PathProvider {
  return {
    includes({ facets, shape }) {
      if (facets.secret === true || facets.exposed === false) return false;
      if (shape !== undefined) return true;
      const role = facets.role ?? "state";
      return role === "state" || (config && role === "config");
    },
    segment: commonSegment,
  };
}

/** Everything, secrets included: for code inside the process. */
export function all(): PathProvider {
  return { includes: () => true, segment: commonSegment };
}

/** The segments of another provider in camel case: `Outside temperature` becomes `outsideTemperature`. */
export function camelCase(inner: PathProvider): PathProvider {
  return {
    includes: (property) => inner.includes(property),
    segment: (property) => toCamelCase(inner.segment(property) ?? property.name),
  };
}

function commonSegment({ facets }: PropertyInfo): string | null {
  return typeof facets.path === "string" ? facets.path : null;
}

function segmentFor({ facets, name }: PropertyInfo, consumer: string): string | undefined {
  const path = facets.path;
  if (typeof path !== "object" || !Object.hasOwn(path, consumer)) return undefined;
  return path[consumer] ?? name;
}

function toCamelCase(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((word) => word.length > 0);
  if (words.length === 0) return text;
  return words
    .map((word, i) => (i === 0 ? lowered(word) : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()))
    .join("");
}

function lowered(word: string): string {
  return word.toLowerCase();
}

/** The ready provider for methods declared with `m.operation` and `m.query`. */
export function declaredMethods(): MetadataProvider {
  return { methods: (subject: SubjectInfo): Iterable<MethodInfo> => subject.methods() };
}
