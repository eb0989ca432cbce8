import * as z from "zod";
import { isJsonObject } from "@steading/kernel";
import { anyJson, count, flag, names, objectFromText, pathInput } from "./tool-options.ts";

/** Output schemas stay open: strict clients would reject any additive field otherwise. */
const open = z.looseObject;
const json = z.unknown();

export const QueryInput = z.object({
  path: pathInput("Where to start, such as /barn/climate. Default: the root, /.").optional(),
  depth: count("How many levels below the start. Default 1; more than the server's maximum is clamped."),
  includeProperties: flag("Also give property values. Default false."),
  filter: z
    .object({
      types: names(
        "Interfaces (or types) by full name, or by last part when that is unique; any match suffices. See list_types.",
      ),
      excludeTypes: names("Types or interfaces to leave out."),
    })
    .strict()
    .optional()
    .meta({ description: "With types, the answer is flat: matching subjects keyed by their path below the start." }),
  includeAttributes: flag("Also give the attributes of each property. Default false."),
  includeMethods: flag("Give the names of callable methods. Default true."),
  includeInterfaces: flag("Give the interfaces of each subject. Default true."),
  limit: count("Most subjects in the answer; at most the server's own maximum."),
  cursor: z
    .string()
    .optional()
    .meta({ description: "From a truncated answer: continue there. Repeat path, depth and filter." }),
  snapshot_id: z.string().optional().meta({ description: "Read this capture instead of the live graph." }),
});

export const QueryOutput = open({
  path: z.string(),
  subject: open({}).optional(),
  subjects: open({}),
  truncated: z.boolean(),
  subjectCount: z.int(),
  depth: z.int().optional(),
  truncatedBy: z.string().optional(),
  cursor: z.string().optional(),
  omitted: z.int().optional(),
  hint: z.string().optional(),
});

export const GetPropertyInput = z.object({
  path: pathInput("The property, such as /barn/climate/temperature; add @name for one of its attributes."),
  snapshot_id: z.string().optional().meta({ description: "Read this capture instead of the live graph." }),
});

export const GetPropertyOutput = open({
  value: json,
  type: z.string(),
  isWritable: z.boolean(),
  unit: z.string().optional(),
  quality: z.string().optional(),
  changedAt: z.string().optional(),
  source: z.string().optional(),
});

const awaitDevice = z.literal("device").optional();

export const SetPropertyInput = z.object({
  path: pathInput("The property to write, such as /barn/climate/target."),
  value: anyJson("The value to write, in the property's own type and unit."),
  await: awaitDevice.meta({ description: "Wait until the device has the value, where writes are otherwise queued." }),
  confirm: awaitDevice.meta({ description: "The same as await." }),
});

const Receipt = open({ action: z.string(), stage: z.string(), at: z.string(), observed: json.optional() });

export const SetPropertyOutput = open({
  success: z.boolean(),
  previousValue: json,
  value: json,
  status: z.string(),
  receipt: Receipt.optional(),
});

export const ListTypesInput = z.object({
  kind: z.enum(["interfaces", "concrete", "all"]).optional().meta({ description: "Default interfaces." }),
  type: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "Only types whose name or description contains this text." }),
  detail: flag("Also list properties and methods of interfaces. Default false."),
});

export const ListTypesOutput = open({ types: z.array(open({ name: z.string() })) });

export const ListMethodsInput = z.object({ path: pathInput("The subject whose methods to list.") });

export const ListMethodsOutput = open({
  methods: z.array(
    open({ name: z.string(), kind: z.string(), parameters: z.array(open({ name: z.string(), type: z.string() })) }),
  ),
});

/** Kept as it came, every key of it: a copy made by the schema library would lose a key called `__proto__`. */
const argumentsByName = z
  .preprocess(objectFromText, z.unknown().refine(isJsonObject, "must be an object"))
  .optional()
  .meta({ type: "object", description: "Arguments by name, as list_methods describes them." });

export const InvokeMethodInput = z.object({
  path: pathInput("The subject whose method to call."),
  method: z.string().meta({ description: "The method's name, as list_methods gives it." }),
  arguments: argumentsByName,
});

export const InvokeMethodOutput = open({ success: z.boolean(), result: json.optional(), receipt: Receipt.optional() });
