import { SteadingError, type Json, type JsonObject, type Outcome, type ToolContext } from "@steading/kernel";
import type * as z from "zod";
import type { PropertyInfo } from "../info/subject-info.ts";
import { deviceError, receiptOf, requireSuccess } from "./device-outcome.ts";
import type { SetPropertiesInput, SetPropertiesOutput } from "./extras-schemas.ts";
import { codeOf, recordDone, recordRefused } from "./keep-record.ts";
import { requireWholeValue, requireWritable } from "./set-property.ts";
import { toolError } from "./tool-errors.ts";
import type { World } from "./tool-world.ts";
import { faceOf, READ_WHOLE } from "./value-face.ts";

interface Wanted {
  readonly path: string;
  readonly property: PropertyInfo;
  readonly value: unknown;
  readonly old: Json;
}

/** Several writes as one transaction: all checks first, then the devices, then the model. */
export async function answerSetProperties(
  world: World,
  input: z.infer<typeof SetPropertiesInput>,
  context: ToolContext,
): Promise<z.infer<typeof SetPropertiesOutput>> {
  const wanted = input.writes.map(({ path, value }): Wanted => {
    const found = requireWritable(world, path, value);
    requireWholeValue(found.property, value, found.path);
    return { path: found.path, property: found.property, value, old: faceOf(found.property.value, READ_WHOLE).value };
  });
  return world.once.run({ tool: "set_properties", input, context }, () => writeAll(world, wanted, input, context));
}

async function writeAll(
  world: World,
  wanted: readonly Wanted[],
  input: z.infer<typeof SetPropertiesInput>,
  context: ToolContext,
): Promise<z.infer<typeof SetPropertiesOutput>> {
  const outcomes: Outcome[] = [];
  try {
    await world.graph.transaction(
      {
        outside: true,
        onFailure: input.onFailure ?? "rollback",
        async perform(effect) {
          const outcome = await context.perform({ minimumRole: "operator", ...effect });
          outcomes.push(outcome);
          return outcome;
        },
      },
      (tx) => {
        for (const { property, value } of wanted) tx.set(property.subject.subject, property.name, value);
      },
    );
    for (const outcome of outcomes) requireSuccess(outcome, "one of the writes");
  } catch (cause) {
    const error = told(cause, outcomes);
    const kept = namesOfApplied(cause);
    const inHub = wanted.filter((one) => !isSentByDoor(world, one));
    await recordRefused(
      world,
      ...inHub.map((one) => recordOf(one, kept.includes(nameOf(one)) ? "applied" : codeOf(error))),
    );
    throw error;
  }
  const inHub = wanted.filter((one) => !isSentByDoor(world, one));
  await recordDone(world, ...inHub.map((one) => recordOf(one, "applied")));
  return {
    success: true,
    results: wanted.map(({ path, property, old }) => ({
      path,
      previousValue: old,
      value: faceOf(property.value, READ_WHOLE).value,
    })),
    ...(outcomes.length === 0 ? {} : { receipts: outcomes.map(receiptOf) }),
  };
}

/** The door has its own record of these. */
function isSentByDoor(world: World, { property: { source } }: Wanted): boolean {
  return source !== undefined && world.graph.sources.get(source)?.writes === "door";
}

/** What a transaction kept although some of it failed. */
function namesOfApplied(cause: unknown): readonly unknown[] {
  const applied = cause instanceof SteadingError ? cause.details?.["applied"] : undefined;
  return Array.isArray(applied) ? applied : [];
}

/** As transactions name it. */
function nameOf({ property }: Wanted): string {
  return `${property.subject.path ?? property.subject.type}/${property.name}`.replace("//", "/");
}

function recordOf({ path, old, value }: Wanted, outcome: string) {
  return { action: "write" as const, path, old, new: faceOf(value, READ_WHOLE).value, outcome };
}

/** The transaction's failure in the words of the tools' table, with every receipt: some devices may have acted. */
function told(cause: unknown, outcomes: readonly Outcome[]): unknown {
  const error = deviceError(cause);
  if (!(error instanceof SteadingError) || outcomes.length === 0) return error;
  const isUnknown = outcomes.some(({ receipt }) => receipt.stage === "unknown");
  const isRefused = outcomes.some(({ receipt }) => receipt.stage === "failed");
  const details: JsonObject = { ...error.details, receipts: outcomes.map(receiptOf) };
  if (isUnknown)
    return toolError("TIMEOUT", `Whether every write took effect is not known. ${error.message}`, { details, cause });
  if (isRefused) return toolError("SOURCE_REJECTED", error.message, { details, cause });
  return new SteadingError(error.code, error.message, {
    details,
    retryable: error.retryable,
    cause,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}
