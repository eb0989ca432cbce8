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
import { locateSubject } from "./locate-target.ts";
import { readArguments } from "./method-arguments.ts";
import { methodError } from "./method-error.ts";
import { nearNames } from "./near-names.ts";
import { runWithin } from "./run-within.ts";
import { watchedDoor } from "./set-property.ts";
import { toolError } from "./tool-errors.ts";
import type { InvokeMethodInput, InvokeMethodOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";
import { faceOf, READ_WHOLE } from "./value-face.ts";

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
  try {
    const { result, outcome } = method.requiresConfirmation === true ? await runApproved(call) : await runPlain(call);
    if (outcome !== undefined) requireSuccess(outcome, `${method.name} on ${path}`);
    record(call, "ok");
    const shown = faceOf(result, READ_WHOLE);
    return {
      success: true,
      ...(shown.value === null ? {} : { result: shown.value }),
      ...(shown.isTruncated === true || shown.length !== undefined ? { resultIsTruncated: true } : {}),
      ...(outcome === undefined ? {} : { receipt: receiptOf(outcome) }),
    };
  } catch (cause) {
    const error = deviceError(cause);
    record(call, error instanceof SteadingError ? error.code : "INTERNAL");
    throw error;
  }
}

/** The method, if it is there, this caller may run it, and it is switched on. */
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
  if (method.isEnabled === false) throw toolError("METHOD_DISABLED", `${name} on ${path} is disabled at present.`);
  return method;
}

interface Ran {
  readonly result: unknown;
  readonly outcome: Outcome | undefined;
}

async function runPlain(call: Call, signal: AbortSignal = call.context.signal): Promise<Ran> {
  const { world, method, values, context, path } = call;
  const door = watchedDoor(context);
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
          ...(method.kind === "query" ? {} : { perform: door.perform }),
        });
      } catch (cause) {
        throw methodError(world.log, method.name, cause);
      }
    },
  });
  return { result, outcome: door.last() };
}

/** Through the door for its approval: asked for, decided by somebody, spent once, and on record. */
async function runApproved(call: Call): Promise<Ran> {
  const { path, method, values, context } = call;
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
          ran = await runPlain(call, signal);
          return faceOf(ran.result, READ_WHOLE).value;
        } catch (cause) {
          failed = methodError(call.world.log, method.name, cause);
          throw toolError("METHOD_FAILED", "The method failed.", { details: { refused: true }, cause });
        }
      },
    },
  });
  if (failed !== undefined) throw failed;
  if (ran === undefined) return { result: outcome.acknowledgement ?? null, outcome }; // the answer of an earlier call
  return { result: ran.result, outcome: ran.outcome ?? outcome };
}

/** Queries change nothing and are not put on record. */
function record({ world, path, method, values }: Call, outcome: string): void {
  if (method.kind === "query") return;
  world.config.journal?.({
    at: world.graph.clock.now(),
    caller: world.caller,
    action: "invoke",
    path,
    method: method.name,
    new: redact(faceOf(values, READ_WHOLE).value as JsonObject), // arguments are an object
    outcome,
  });
}
