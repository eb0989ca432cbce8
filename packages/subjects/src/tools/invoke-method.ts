import {
  millis,
  redact,
  seconds,
  SteadingError,
  type Json,
  type JsonObject,
  type Outcome,
  type ToolContext,
} from "@steading/kernel";
import type * as z from "zod";
import type { MethodInfo, SubjectInfo } from "../info/subject-info.ts";
import { deviceError, receiptOf, requireSuccess } from "./device-outcome.ts";
import { codeOf, recordDone, recordRefused } from "./keep-record.ts";
import { locateSubject } from "./locate-target.ts";
import { readArguments } from "./method-arguments.ts";
import { methodError } from "./method-error.ts";
import { nearNames } from "./near-names.ts";
import { runWithin } from "./run-within.ts";
import { toolError } from "./tool-errors.ts";
import type { InvokeMethodInput, InvokeMethodOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";
import { faceOf, READ_WHOLE } from "./value-face.ts";
import { watchedDoor, type WatchedDoor } from "./watched-door.ts";

const DEFAULT_RUNTIME = seconds(30);

interface Call {
  readonly world: World;
  readonly path: string;
  readonly subject: SubjectInfo;
  readonly method: MethodInfo;
  readonly values: object;
  readonly context: ToolContext;
}

export async function answerInvokeMethod(
  world: World,
  input: z.infer<typeof InvokeMethodInput>,
  context: ToolContext,
): Promise<z.infer<typeof InvokeMethodOutput>> {
  const { subject, path } = locateSubject(world, input.path);
  const method = requireMethod(world, subject, path, input.method);
  const { values, problems } = await readArguments(method.input, (input.arguments ?? {}) as JsonObject); // parsed from JSON
  if (problems.length > 0) {
    const told = problems.map(({ path: name, message }) => (name === "" ? message : `"${name}" ${message}`)).join("; ");
    throw toolError("INVALID_ARGUMENTS", `Arguments of ${method.name}: ${told}.`, {
      details: { problems: problems.map((problem) => ({ ...problem })) },
    });
  }
  const call: Call = { world, path, subject, method, values, context };
  return world.once.run({ tool: "invoke_method", input, context }, () => run(call));
}

async function run(call: Call): Promise<z.infer<typeof InvokeMethodOutput>> {
  const { method, path } = call;
  // Only asked of a call that is to run: a method may well be disabled by the very call that is repeated here.
  if (method.isEnabled === false)
    throw toolError("METHOD_DISABLED", `${method.name} on ${path} is disabled at present.`);
  let ran: Ran;
  try {
    ran = method.requiresConfirmation === true ? await runApproved(call) : await runPlain(call);
    if (ran.outcome !== undefined) requireSuccess(ran.outcome, `${method.name} on ${path}`);
  } catch (cause) {
    const error = deviceError(cause);
    if (method.kind !== "query") await recordRefused(call.world, recordOf(call, codeOf(error)));
    throw error;
  }
  const { result, outcome, effect } = ran;
  // Queries change nothing and are not put on record.
  if (method.kind !== "query")
    await recordDone(call.world, { ...recordOf(call, "ok"), ...(effect === undefined ? {} : { effect }) });
  const shown = faceOf(result, READ_WHOLE);
  return {
    success: true,
    ...(shown.value === null ? {} : { result: shown.value }),
    ...(shown.isTruncated === true || shown.length !== undefined ? { resultIsTruncated: true } : {}),
    ...(outcome === undefined ? {} : { receipt: receiptOf(outcome) }),
  };
}

/** The method, if it is there and this caller may run it. */
function requireMethod(world: World, subject: SubjectInfo, path: string, name: string): MethodInfo {
  const methods = world.metadata.methods(subject);
  const method = methods.get(name);
  if (method === undefined) {
    const known = [...methods.keys()];
    const has = known.length === 0 ? "it has no methods" : `it has ${known.join(", ")}`;
    throw toolError(
      "METHOD_NOT_FOUND",
      `Method ${JSON.stringify(name.slice(0, 200))} was not found on ${path}; ${has}.`,
      {
        details: { methods: known, suggestions: nearNames(name, known) },
      },
    );
  }
  const may = world.access.mayInvoke(method);
  if (!may.ok) throw toolError(may.code, `${name} on ${path} may not run: ${may.reason}.`);
  return method;
}

interface Ran {
  readonly result: unknown;
  readonly outcome: Outcome | undefined;
  /** The door's own action, for a method that ran with an approval. */
  readonly effect?: string;
}

async function runPlain(
  call: Call,
  door: WatchedDoor = watchedDoor(call.context),
  signal: AbortSignal = call.context.signal,
): Promise<Ran> {
  const { world, method, values, path } = call;
  const perform = method.toward === "safe" ? onlySafe(door.perform, `${method.name} on ${path}`) : door.perform;
  const result = await runWithin({
    clock: world.graph.clock,
    limit: method.timeoutMs === undefined ? DEFAULT_RUNTIME : millis(method.timeoutMs),
    signal,
    what: `${method.name} on ${path}`,
    async work(own) {
      try {
        return await method.invoke(values, {
          signal: own,
          log: world.log,
          caller: world.caller,
          services: world.graph.services,
          // A query has no side effect in the world, so it gets no door.
          ...(method.kind === "query" ? {} : { perform }),
        });
      } catch (cause) {
        throw methodError(world.log, method.name, cause);
      } finally {
        await door.settled();
      }
    },
  });
  return { result, outcome: door.last() };
}

/** It passed where nothing live may pass, on its word that it only stops things. */
function onlySafe(perform: WatchedDoor["perform"], what: string): WatchedDoor["perform"] {
  return (effect) =>
    effect.toward === "safe"
      ? perform(effect)
      : Promise.reject(
          toolError("ACCESS_DENIED", `${what} is declared to lead towards safe and tried something else.`),
        );
}

/** Through the door for its approval: asked for, decided by somebody, spent once, and on record. */
async function runApproved(call: Call): Promise<Ran> {
  const { path, method, values, context } = call;
  const inner = watchedDoor(context);
  let ran: Ran | undefined;
  let failed: Error | undefined;
  const outcome = await context.perform({
    arguments: { path, method: method.name, arguments: faceOf(values, READ_WHOLE).value },
    // A lane of its own: the device behind it has another, which the method may enter.
    target: `method ${path} ${method.name}`,
    toward: "live",
    confirm: "confirm",
    minimumRole: "admin",
    summary: `Run ${method.name} on ${path}${method.title === undefined ? "" : ` (${method.title})`}.`,
    observer: "subjects.method",
    observeWith: {},
    observeDeadline: millis(0),
    sendDeadline: millis((method.timeoutMs ?? DEFAULT_RUNTIME) + 1_000),
    drive: {
      async send(wire, signal): Promise<Json> {
        wire.firstByte();
        try {
          ran = await runPlain(call, inner, signal);
          if (ran.outcome !== undefined) requireSuccess(ran.outcome, `${method.name} on ${path}`);
          return faceOf(ran.result, READ_WHOLE).value;
        } catch (cause) {
          failed = inner.isInDoubt() ? doubted(inner, call, cause) : methodError(call.world.log, method.name, cause);
          throw asEnded(failed, inner.isInDoubt());
        }
      },
    },
  });
  if (failed !== undefined) throw failed;
  const effect = outcome.receipt.action;
  if (ran === undefined) return { result: outcome.acknowledgement ?? null, outcome, effect }; // the answer of an earlier call
  return { result: ran.result, outcome: ran.outcome ?? outcome, effect };
}

/** Whatever the method made of it: the receipt of an effect that nobody knows the end of says more. */
function doubted(door: WatchedDoor, { method, path }: Call, cause: unknown): Error {
  const outcome = door.last();
  try {
    if (outcome !== undefined) requireSuccess(outcome, `${method.name} on ${path}`);
  } catch (error) {
    if (error instanceof SteadingError) return error;
  }
  return toolError("TIMEOUT", `Whether ${method.name} on ${path} took effect is not known.`, { cause });
}

/** How the method's own action ends: known to have failed, or in doubt because it was cut off or something it did is. */
function asEnded(failed: Error, isInDoubt: boolean): Error {
  if (isInDoubt || codeOf(failed) === "TIMEOUT")
    return toolError("TIMEOUT", "What the method did is not known to have taken effect.", { cause: failed });
  return toolError("METHOD_FAILED", "The method failed.", { details: { refused: true }, cause: failed });
}

function recordOf({ path, method, values }: Call, outcome: string) {
  return {
    action: "invoke" as const,
    path,
    method: method.name,
    new: redact(faceOf(values, READ_WHOLE).value as JsonObject), // arguments are an object
    outcome,
  };
}
