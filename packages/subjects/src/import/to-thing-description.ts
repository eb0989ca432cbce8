import type { Json, JsonObject } from "@steading/kernel";
import { describeSchema, typeSchema } from "../define/json-schema.ts";
import { unitById } from "../define/units.ts";
import type { PathProvider } from "../info/providers.ts";
import type { MethodInfo, PropertyInfo } from "../info/subject-info.ts";
import type { GraphView } from "../graph/view.ts";
import type { Subject } from "../instance/subject.ts";

export interface ThingExportOptions {
  readonly provider: PathProvider;
  /** Where forms point; the subject's path is appended. Left out: a description without forms. */
  readonly base?: string;
}

/** A subject as a W3C Thing Description: what the provider exposes of it, and its children as links. */
export function toThingDescription(
  view: GraphView,
  subject: Subject,
  { provider, base }: ThingExportOptions,
): JsonObject {
  const info = view.info(subject);
  const path = view.pathOf(subject, provider) ?? "";
  const properties: Record<string, Json> = {};
  for (const { segment, property } of view.exposed(subject, provider))
    put(properties, segment, affordance(property, base, path, segment));
  const actions: Record<string, Json> = {};
  for (const method of info.methods()) put(actions, method.name, action(method));
  const links = [...view.children(subject, provider)].map(({ step, property }) => ({
    rel: property.shape === "one" ? "item" : "collection",
    href: `${base ?? ""}${path === "/" ? "" : path}/${step}`,
  }));
  return {
    "@context": "https://www.w3.org/2022/wot/td/v1.1",
    "@type": info.interfaces,
    id: info.id.includes(":") ? info.id : `urn:steading:${info.id}`,
    title: info.title ?? info.type.slice(info.type.lastIndexOf(".") + 1),
    ...(info.description === undefined ? {} : { description: info.description }),
    security: ["nosec"],
    securityDefinitions: { nosec: { scheme: "nosec" } },
    properties,
    actions,
    ...(links.length === 0 ? {} : { links }),
  };
}

function put(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true });
}

function affordance(
  { valueType, facets, isWritable, type }: PropertyInfo,
  base: string | undefined,
  path: string,
  segment: string,
): JsonObject {
  const declared = valueType === undefined ? { type } : typeSchema(valueType);
  return {
    ...declared,
    readOnly: !isWritable,
    ...(facets.title === undefined ? {} : { title: facets.title }),
    ...(facets.description === undefined ? {} : { description: facets.description }),
    ...(facets.min === undefined ? {} : { minimum: facets.min }),
    ...(facets.max === undefined ? {} : { maximum: facets.max }),
    ...(facets.step === undefined ? {} : { multipleOf: facets.step }),
    ...(facets.unit === undefined ? {} : { unit: unitById(facets.unit)?.ucum ?? facets.unit }),
    ...(base === undefined
      ? {}
      : {
          forms: [
            {
              href: `${base}${path === "/" ? "" : path}/${segment}`,
              op: isWritable ? ["readproperty", "writeproperty"] : ["readproperty"],
            },
          ],
        }),
  };
}

function action({ kind, title, description, input, output }: MethodInfo): JsonObject {
  const given = input === undefined ? undefined : describeSchema(input, "input");
  const answered = output === undefined ? undefined : describeSchema(output, "output");
  return {
    safe: kind === "query",
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(given === undefined ? {} : { input: given }),
    ...(answered === undefined ? {} : { output: answered }),
  };
}
