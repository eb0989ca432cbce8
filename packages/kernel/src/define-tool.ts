import * as z from "zod";
import { argumentProblems, inWords, invalidArguments, type ArgumentProblem } from "./argument-problems.ts";
import type { Confirm } from "./effect.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { TOOL_NAME, type CallExtras, type Tool, type ToolAnnotations, type ToolSpec } from "./tool.ts";
import { APPROVAL, IDEMPOTENCY_KEY, inputSchemaOf, outputSchemaOf } from "./tool-schema.ts";

const DESCRIPTION_BYTES = 2_048;

/** Makes a tool from what its author says about it. Mistakes of the author throw here, at start, not at the first call. */
export function defineTool<I extends z.ZodObject, O extends z.ZodType = z.ZodType<object>>(spec: ToolSpec<I, O>): Tool {
  if (!TOOL_NAME.test(spec.name)) {
    throw new TypeError(`A tool's name is 1 to 64 of A-Z a-z 0-9 _ . - and ${JSON.stringify(spec.name)} is not.`);
  }
  const confirm: Confirm = spec.confirm ?? "plain";
  const mutates = spec.intent === "MUTATE";
  const unknownKeys = spec.unknownKeys ?? "reject";
  const extraFields = {
    ...(mutates ? { idempotency_key: IDEMPOTENCY_KEY } : {}),
    ...(mutates && (confirm !== "plain" || spec.acceptsApproval === true) ? { approval: APPROVAL } : {}),
  };
  const inputSchema = inputSchemaOf({ name: spec.name, input: spec.input, unknownKeys, extras: extraFields });
  const outputSchema = spec.output === undefined ? undefined : outputSchemaOf(spec.name, spec.output);
  // Compiled when first used: most tools of a large site are listed far more often than they are called.
  let validate: z.ZodType | undefined;
  let answerCheck: z.ZodType | undefined;
  const ownFields = new Set(Object.keys(spec.input.shape));

  function parse(raw: unknown): { input: unknown; extras: CallExtras } {
    const given = raw === undefined ? {} : raw;
    if (!isJsonObject(given))
      throw invalidArguments(`Arguments of ${spec.name}`, [{ path: "", message: "must be an object" }]);
    const { own, lifted } = liftExtras(given, Object.keys(extraFields), ownFields);
    validate ??= z.compile(unknownKeys === "reject" ? spec.input.strict() : spec.input.strip());
    const result = validate.safeParse(own);
    const problems = [
      ...(result.success ? [] : argumentProblems(result.error.issues, own, inputSchema)),
      ...extraProblems(lifted, ownFields),
    ];
    if (!result.success || problems.length > 0) throw invalidArguments(`Arguments of ${spec.name}`, problems);
    return { input: result.data, extras: extrasFrom(lifted) };
  }

  return Object.freeze<Tool>({
    name: spec.name,
    title: spec.title,
    intent: spec.intent,
    confirm,
    minimumRole: spec.minimumRole,
    essential: spec.essential ?? false,
    annotations: Object.freeze({ ...annotationsFor(spec.intent), ...spec.annotations }),
    inputSchema,
    outputSchema,
    ...(spec.deadline === undefined ? {} : { deadline: spec.deadline }),
    ...(spec.sameKey === undefined ? {} : { sameKey: spec.sameKey }),
    ...(spec.keyTtl === undefined ? {} : { keyTtl: spec.keyTtl }),
    description: () => capBytes(typeof spec.summary === "function" ? spec.summary() : spec.summary, DESCRIPTION_BYTES),
    parse,
    ...(spec.urgent && {
      isUrgent(raw: unknown) {
        try {
          return spec.urgent?.(parse(raw).input as z.infer<I>) === true; // made from the same schema
        } catch {
          return false; // bad arguments are told when it is called
        }
      },
    }),
    async run(input, context) {
      // `parse` made this input from the same schema, and nothing else hands it on.
      const answer: unknown = await spec.handler(input as z.infer<I>, context);
      if (!isJsonObject(answer)) throw new TypeError(`Tool ${spec.name} answered with something that is no object.`);
      return answer;
    },
    text(answer) {
      // The answer came from this tool's handler, so it has the handler's type.
      return spec.text === undefined ? JSON.stringify(answer) : spec.text(answer as z.infer<O>);
    },
    ...(spec.encoded && { encoded: (answer: JsonObject) => spec.encoded?.(answer as z.infer<O>) }), // as above
    answerProblems(answer) {
      if (spec.output === undefined) return [];
      answerCheck ??= z.compile(spec.output);
      const result = answerCheck.safeParse(answer);
      if (result.success) return [];
      return argumentProblems(result.error.issues, answer, outputSchema ?? {}).map(inWords);
    },
  });
}

type Lifted = Readonly<Record<string, unknown>>;

/**
 * Parts the common fields from the tool's own. A tool whose contract has a field of the same name keeps it in its input
 * too, under its own rules.
 */
function liftExtras(
  given: JsonObject,
  fields: readonly string[],
  ownFields: ReadonlySet<string>,
): { own: JsonObject; lifted: Lifted } {
  const present = fields.filter((field) => Object.hasOwn(given, field));
  if (present.length === 0) return { own: given, lifted: {} };
  const lifted = Object.fromEntries(present.map((field) => [field, given[field]]));
  const kept = Object.entries(given).filter(([key]) => !present.includes(key) || ownFields.has(key));
  return { own: Object.fromEntries(kept), lifted };
}

function extraProblems(lifted: Lifted, ownFields: ReadonlySet<string>): ArgumentProblem[] {
  return Object.entries(lifted).flatMap(([path, value]) => {
    if (ownFields.has(path) || (typeof value === "string" && value.length >= 1 && value.length <= 128)) return [];
    return [{ path, message: "must be a string of 1 to 128 characters" }];
  });
}

function extrasFrom(lifted: Lifted): CallExtras {
  const { idempotency_key: key, approval } = lifted;
  return {
    ...(typeof key === "string" && key !== "" ? { idempotencyKey: key } : {}),
    ...(typeof approval === "string" && approval !== "" ? { approval } : {}),
  };
}

/** Hints for hosts that ask before they act; whoever knows better says so in the spec. */
function annotationsFor(intent: Tool["intent"]): ToolAnnotations {
  return intent === "READ_ONLY"
    ? { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
}

/** Cuts between characters, never inside one, and marks the cut. */
function capBytes(text: string, limit: number): string {
  const encoder = new TextEncoder();
  if (text.length * 3 <= limit || encoder.encode(text).length <= limit) return text;
  const room = new Uint8Array(limit - 3); // the mark "…" takes three bytes
  return `${text.slice(0, encoder.encodeInto(text, room).read)}…`;
}
