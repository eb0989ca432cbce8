import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { subjectError } from "../subject-error.ts";
import type { DataMethod, DataProperty, DataSubject } from "./data-definition.ts";

/** Short field names that discovery messages use to save bytes, and what they stand for. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  dev: "device",
  cmps: "components",
  ids: "identifiers",
  mf: "manufacturer",
  mdl: "model",
  p: "platform",
  dev_cla: "device_class",
  unit_of_meas: "unit_of_measurement",
  stat_cla: "state_class",
  stat_t: "state_topic",
  cmd_t: "command_topic",
  val_tpl: "value_template",
  ops: "options",
  ent_cat: "entity_category",
  uniq_id: "unique_id",
  avty_t: "availability_topic",
  exp_aft: "expire_after",
};

const TOPICS = [
  "state_topic",
  "command_topic",
  "value_template",
  "availability_topic",
  "payload_on",
  "payload_off",
  "payload_press",
];
const MAX_COMPONENTS = 500;
const MAX_TEXT = 500;

/** An MQTT device discovery message (one device, its components) as a subject: each component a property or a method. */
export function fromDiscoveryPayload(
  payload: unknown,
  { namespace = "homeassistant" }: { readonly namespace?: string } = {},
): DataSubject {
  const message = longNames(payload);
  const device = longNames(message["device"]);
  const components = message["components"];
  const [id] = strings(device["identifiers"]);
  if (id === undefined) throw wrong("names no device identifier");
  if (!isJsonObject(components)) throw wrong("has no components");
  const entries = Object.entries(components);
  if (entries.length > MAX_COMPONENTS) throw wrong(`has more than ${MAX_COMPONENTS} components`);
  const properties: Record<string, DataProperty> = {};
  const methods: Record<string, DataMethod> = {};
  const interfaces = new Set<string>();
  for (const [key, raw] of entries) {
    const component = longNames(raw);
    const platform = text(component["platform"]) ?? "sensor";
    const deviceClass = text(component["device_class"]);
    interfaces.add([namespace, word(platform), ...(deviceClass === undefined ? [] : [word(deviceClass)])].join("."));
    if (platform === "button") put(methods, key, methodOf(component));
    else put(properties, key, propertyOf(platform, component));
  }
  const title = text(device["name"]);
  const model = [text(device["manufacturer"]), text(device["model"])].filter((each) => each !== undefined).map(word);
  return {
    id,
    name: [namespace, "devices", ...(model.length === 0 ? ["Device"] : model)].join("."),
    interfaces: [...interfaces],
    properties,
    methods,
    ...(title === undefined ? {} : { title }),
  };
}

function propertyOf(platform: string, component: JsonObject): DataProperty {
  const unit = text(component["unit_of_measurement"]);
  const options = strings(component["options"]);
  const stateClass = text(component["state_class"]);
  const category = component["entity_category"];
  const expires = component["expire_after"];
  const title = text(component["name"]);
  return {
    ...typeOf(platform, { options, isNumber: unit !== undefined || stateClass !== undefined }),
    writable: typeof component["command_topic"] === "string",
    nullable: true,
    ...(unit === undefined ? {} : { unit }),
    ...(title === undefined ? {} : { title }),
    ...number(component, "min"),
    ...number(component, "max"),
    ...number(component, "step"),
    ...(stateClass === "total" || stateClass === "total_increasing" ? { cumulative: true } : {}),
    ...(category === "config" || category === "diagnostic" ? { role: category } : {}),
    ...(typeof expires === "number" ? { maxAgeMs: expires * 1_000 } : {}),
    source: sourceOf(component),
  };
}

function typeOf(
  platform: string,
  { options, isNumber }: { readonly options: readonly string[]; readonly isNumber: boolean },
): DataProperty {
  if (options.length > 0) return { enum: options };
  if (platform === "binary_sensor" || platform === "event")
    return { type: platform === "event" ? "record" : "boolean", discrete: true };
  if (platform === "switch" || platform === "light" || platform === "lock") return { type: "boolean" };
  return { type: platform === "number" || isNumber ? "number" : "string" };
}

function methodOf(component: JsonObject): DataMethod {
  const title = text(component["name"]);
  return { kind: "operation", ...(title === undefined ? {} : { title }), source: sourceOf(component) };
}

function sourceOf(component: JsonObject): JsonObject {
  return Object.fromEntries(TOPICS.flatMap((name) => (component[name] === undefined ? [] : [[name, component[name]]])));
}

function wrong(what: string): Error {
  return subjectError("VALIDATION_FAILED", `The discovery message ${what}.`);
}

function longNames(value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [LONG_NAMES[key] ?? key, each]));
}

function put<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name.replace(/@/g, "_at_").replace(/^\$/, "_"), { value, enumerable: true });
}

function number(component: JsonObject, name: "min" | "max" | "step"): Readonly<Record<string, number>> {
  const value = component[name];
  return typeof value === "number" && Number.isFinite(value) ? { [name]: value } : {};
}

function text(value: Json | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const clean = value
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT);
  return clean.length === 0 ? undefined : clean;
}

function strings(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function word(part: string): string {
  return part.replace(/[^\p{L}\p{N}_-]+/gu, "_");
}
