import {
  isJsonObject,
  SteadingError,
  type Caller,
  type Json,
  type JsonObject,
  type Role,
  type ToolContext,
  type Toolset,
} from "@steading/kernel";

export function callerOf(role: Role, scope?: Caller["scope"]): Caller {
  return {
    principal: `a ${role}`,
    role,
    transport: "internal",
    correlation: "test",
    ...(scope === undefined ? {} : { scope }),
  };
}

export interface CallOptions {
  readonly as?: Role;
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
  readonly perform?: ToolContext["perform"];
}

/** Runs a tool as the dispatcher does: parse, run. Nothing in between, so that a test sees the tool alone. */
export async function callTool(
  toolset: Toolset,
  name: string,
  args: unknown = {},
  options: CallOptions = {},
): Promise<Answer> {
  const tool = toolset.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const { input } = tool.parse(args);
  const answer = await tool.run(input, {
    caller: options.caller ?? callerOf(options.as ?? "operator"),
    signal: options.signal ?? new AbortController().signal,
    progress() {},
    perform: options.perform ?? (() => Promise.reject(new Error("No door was given to this call."))),
  });
  const problems = tool.answerProblems?.(answer) ?? [];
  if (problems.length > 0) throw new Error(`The answer does not fit its schema: ${problems.join("; ")}`);
  // What the wire would carry: a value that JSON cannot hold must not hide in a test.
  return JSON.parse(JSON.stringify(answer)) as Answer;
}

export type Answer = Readonly<Record<string, Json>>;

/** What is found along the keys; undefined where the way ends. */
export function at(answer: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let found = answer;
  for (const key of keys) found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

/** The error that a call ends with, in the form that goes over the wire. */
export async function errorOf(call: Promise<unknown>): Promise<JsonObject & { error: string; code: string }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof SteadingError) return error.toJson();
    throw error;
  }
  throw new Error("The call succeeded, and an error was expected.");
}
