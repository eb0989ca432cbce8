import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import * as z from "zod";
import { jsonOr } from "../model/equipment-input.ts";
import { parseInstant } from "../model/instant.ts";

const HIGHEST_ID = 2 ** 31 - 1;

/** The cells of the reference, as schemas. A row comes without its nulls, so what may be null is optional here. */
export const Id = z.int().min(1).max(HIGHEST_ID);
export const Ref = Id.nullable().default(null);
export const Text = z.string().trim().min(1).max(200);
export const LongText = z.string().max(10_000);
export const Description = z.string().max(2_000).nullable().default(null);

export const Time = z.string().transform((text, context) => {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  context.addIssue({ code: "custom", message: "is not a time" });
  return z.NEVER;
});

export const JsonList = jsonOr(z.array(z.json()).max(1_000)).default([]);
export const JsonObjects = jsonOr(
  z.array(z.custom<JsonObject>((given) => isJsonObject(given as Json), "must be an object")).max(1_000), // asks before it says so
).default([]);
export const JsonThing = jsonOr(z.custom<JsonObject>((given) => isJsonObject(given as Json), "must be an object")); // as above
