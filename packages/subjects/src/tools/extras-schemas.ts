import * as z from "zod";
import { AGGREGATIONS } from "./history-port.ts";
import { anyJson, count, flag, names, pathInput } from "./tool-options.ts";

const open = z.looseObject;
const format = z
  .enum(["text", "json"])
  .optional()
  .meta({ description: "Of the text block: text (default, compact) or json." });

const including = {
  includeProperties: flag("Also give property values. Default false."),
  includeAttributes: flag("Also give attributes of properties. Default false."),
  includeMethods: flag("Also give method names. Default false."),
  includeInterfaces: flag("Also give interfaces. Default false."),
  excludeTypes: names("Types or interfaces to leave out."),
  maxSubjects: count("Most subjects in the answer; at most the server's own maximum."),
  format,
};

export const BrowseInput = z.object({
  path: pathInput("Where to start. Default: the root, /.").optional(),
  depth: count("How many levels to expand. Default 1. Collections below that are collapsed to a count."),
  ...including,
});

export const BrowseOutput = open({
  result: open({ $path: z.string(), $type: z.string() }),
  subjectCount: z.int(),
  truncated: z.boolean(),
});

export const SearchInput = z.object({
  query: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "Text to find in paths, titles and descriptions, whatever its case." }),
  types: names("Interfaces or types, any of which a subject must have. See list_types."),
  path: pathInput("Only at or below this subject.").optional(),
  ...including,
});

export const SearchOutput = open({ results: open({}), subjectCount: z.int(), truncated: z.boolean() });

export const SetPropertiesInput = z.object({
  writes: z
    .array(z.object({ path: pathInput("The property to write."), value: anyJson("The value to write.") }).strict())
    .min(1)
    .max(100)
    .meta({ description: "All of them are one transaction." }),
  onFailure: z
    .enum(["rollback", "bestEffort"])
    .optional()
    .meta({ description: "rollback (default): all or nothing. bestEffort: keep what the devices accepted." }),
});

const Receipt = open({ action: z.string(), stage: z.string(), at: z.string() });

export const SetPropertiesOutput = open({
  success: z.boolean(),
  results: z.array(open({ path: z.string(), previousValue: z.unknown(), value: z.unknown() })),
  receipts: z.array(Receipt).optional(),
});

export const WATCH_TESTS = ["changes", "equals", "notEquals", "above", "below", "atLeast", "atMost"] as const;

export const WatchInput = z.object({
  conditions: z
    .array(
      z
        .object({
          path: pathInput("The property to watch."),
          test: z.enum(WATCH_TESTS).optional().meta({ description: "Default changes." }),
          value: anyJson("What to compare with; not for changes.").optional(),
        })
        .strict(),
    )
    .min(1)
    .max(50),
  mode: z.enum(["any", "all"]).optional().meta({ description: "Whether one condition suffices. Default any." }),
  timeoutMs: count("How long to wait at most, up to 60 000. Default 25 000."),
});

export const WatchOutput = open({
  met: z.boolean(),
  waitedMs: z.number(),
  conditions: z.array(open({ path: z.string(), met: z.boolean(), value: z.unknown() })),
});

export const HistoryInput = z.object({
  path: pathInput("The property whose past to read."),
  from: z.string().meta({ description: "ISO 8601 date-time with offset or Z." }),
  to: z.string().optional().meta({ description: "ISO 8601 date-time. Default: the present moment." }),
  aggregation: z
    .enum(AGGREGATIONS)
    .optional()
    .meta({ description: "Per bucket. Default mean for numbers, raw otherwise." }),
  buckets: count("Most points in the answer, 1 to 1 000. Default 100.", 1),
});

export const HistoryOutput = open({
  path: z.string(),
  aggregation: z.string(),
  points: z.array(open({ at: z.string(), value: z.unknown() })),
  truncated: z.boolean(),
  isRecorded: z.boolean().optional().describe("false: this property is not recorded, so there is no past to tell"),
});
