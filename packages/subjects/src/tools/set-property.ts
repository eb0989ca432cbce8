import type { Json, Outcome, ToolContext } from "@steading/kernel";
import type * as z from "zod";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { WriteResult } from "../graph/graph.ts";
import { deviceError, receiptOf, requireSuccess } from "./device-outcome.ts";
import { jsonSize } from "./json-size.ts";
import { codeOf, recordDone, recordRefused } from "./keep-record.ts";
import { locateProperty } from "./locate-target.ts";
import { isTowardSafe } from "./safe-write.ts";
import { toolError } from "./tool-errors.ts";
import { MAX_VALUE_CHARS } from "./tool-limits.ts";
import type { SetPropertyInput, SetPropertyOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";
import { faceOf, READ_WHOLE } from "./value-face.ts";
import { watchedDoor } from "./watched-door.ts";

export type SetPropertyAnswer = z.infer<typeof SetPropertyOutput>;

/** Mode, role, path, kind, policy, writable; then the key; then the graph's own checks of the value; then store or send. */
export async function answerSetProperty(
  world: World,
  input: z.infer<typeof SetPropertyInput>,
  context: ToolContext,
): Promise<SetPropertyAnswer> {
  const found = requireWritable(world, input.path, input.value);
  requireWholeValue(found.property, input.value, found.path);
  return world.once.run({ tool: "set_property", input, context }, () => writeOne(world, found, input, context));
}

async function writeOne(
  world: World,
  { path, property }: ReturnType<typeof locateProperty>,
  input: z.infer<typeof SetPropertyInput>,
  context: ToolContext,
): Promise<SetPropertyAnswer> {
  const old = faceOf(property.value, READ_WHOLE).value;
  let answer: ReturnType<typeof writeAnswer>;
  try {
    const { result, outcome } = await write(world, property, input, context);
    answer = writeAnswer(path, result, outcome);
  } catch (cause) {
    const error = deviceError(cause);
    const wanted = faceOf(input.value, READ_WHOLE).value;
    await recordRefused(world, { action: "write", path, old, new: wanted, outcome: codeOf(error) });
    throw error;
  }
  const { value, status, receipt } = answer;
  const effect = receipt === undefined ? {} : { effect: receipt.action };
  await recordDone(world, { action: "write", path, old, new: value, outcome: status, ...effect });
  return answer;
}

/** Everything that can be refused before the value is looked at, in the order of the contract. */
export function requireWritable(world: World, path: string, value: unknown): ReturnType<typeof locateProperty> {
  const { access } = world;
  if (access.isReadOnly && !isTowardSafe(world, path, value))
    throw toolError("SERVER_READ_ONLY", "This server is read-only (setting `access`); only writes towards safe pass.");
  if (!access.hasRole("operator")) throw toolError("ACCESS_DENIED", "Writing needs the role operator.");
  const found = locateProperty(world, path);
  if (!access.allows("write", found.property)) throw toolError("ACCESS_DENIED", `You may not write ${found.path}.`);
  if (!found.property.isWritable)
    throw toolError("PROPERTY_NOT_WRITABLE", `${found.path} cannot be written from outside.`);
  return found;
}

/** A value that was shortened when it was read must not come back as if it were the whole. */
export function requireWholeValue(property: PropertyInfo, value: unknown, path: string): void {
  const size = typeof value === "string" ? value.length : jsonSize(value as Json); // the input came as JSON
  if (size > MAX_VALUE_CHARS)
    throw toolError(
      "VALIDATION_FAILED",
      `The value for ${path} has ${size} characters; at most ${MAX_VALUE_CHARS} are taken.`,
      {
        details: { expected: { maxChars: MAX_VALUE_CHARS }, received: { chars: size } },
      },
    );
  const shown = faceOf(property.value, READ_WHOLE);
  const wasCut = shown.length !== undefined || shown.isTruncated === true;
  if (wasCut && JSON.stringify(shown.value) === JSON.stringify(value))
    throw toolError("VALIDATION_FAILED", `This is the shortened form in which ${path} was read, not its whole value.`);
}

async function write(
  world: World,
  property: PropertyInfo,
  input: z.infer<typeof SetPropertyInput>,
  context: ToolContext,
): Promise<{ result: WriteResult; outcome: Outcome | undefined }> {
  const door = watchedDoor(context);
  const waits = input.await ?? input.confirm;
  try {
    const result = await world.graph.write(property, input.value, {
      provider: world.provider,
      perform: door.perform,
      signal: context.signal,
      ...(waits === undefined ? {} : { await: waits }),
    });
    return { result, outcome: result.outcome ?? door.last() };
  } catch (cause) {
    const outcome = door.last();
    // The outcome says more exactly than the exception what became of the write.
    if (outcome !== undefined) requireSuccess(outcome, "the write");
    throw cause;
  }
}

function writeAnswer(
  path: string,
  result: WriteResult,
  outcome: Outcome | undefined,
): SetPropertyAnswer & { value: Json; status: string } {
  const status = outcome === undefined ? result.status : requireSuccess(outcome, `the write to ${path}`);
  const previous = outcome?.before === undefined ? faceOf(result.previous, READ_WHOLE).value : outcome.before;
  return {
    success: true,
    previousValue: previous,
    value: faceOf(result.value, READ_WHOLE).value,
    status,
    ...(outcome === undefined ? {} : { receipt: receiptOf(outcome) }),
  };
}
