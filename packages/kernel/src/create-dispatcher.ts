import { cancelled } from "./abortable.ts";
import { effectiveRole, roleAtLeast } from "./caller.ts";
import type { Clock } from "./clock.ts";
import type { CallRequest, CallResult, Dispatcher } from "./dispatcher.ts";
import type { Door } from "./door.ts";
import { seconds, type Duration } from "./duration.ts";
import { asSteadingError, internalError } from "./internal-error.ts";
import { kernelError } from "./kernel-errors.ts";
import { countElements } from "./count-elements.ts";
import type { JsonObject } from "./json.ts";
import type { Log } from "./log.ts";
import { runWithDeadline } from "./run-with-deadline.ts";
import { SteadingError } from "./steading-error.ts";
import { createToolContext } from "./tool-context.ts";
import type { Tool } from "./tool.ts";
import { checkToolsets, createToolTable, isOffered, type ListedTool } from "./tool-table.ts";
import type { Toolset } from "./toolset.ts";

export interface DispatcherLimits {
  /** For tools that name no deadline of their own. */
  readonly deadline: Duration;
  /** Members and items that the arguments of one call may hold, at every depth together. */
  readonly argumentElements: number;
}
export const DISPATCHER_LIMITS: DispatcherLimits = { deadline: seconds(30), argumentElements: 10_000 };

export interface DispatcherCounters {
  readonly reads: number;
  readonly mutations: number;
  readonly unknownTools: number;
  readonly refused: number;
  readonly timeouts: number;
  readonly internal: number;
  /** Answers that did not fit their output schema. */
  readonly misfits: number;
  readonly running: number;
}
export interface WorkingDispatcher extends Dispatcher {
  readonly counters: DispatcherCounters;
}

export function createDispatcher({
  toolsets,
  door,
  clock,
  log,
  limits: given,
}: {
  readonly toolsets: readonly Toolset[];
  readonly door: Pick<Door, "perform">;
  readonly clock: Pick<Clock, "timer">;
  readonly log: Log;
  readonly limits?: Partial<DispatcherLimits>;
}): WorkingDispatcher {
  checkToolsets(toolsets);
  const limits = { ...DISPATCHER_LIMITS, ...given };
  const listeners = new Set<() => void>();
  const counters = {
    reads: 0,
    mutations: 0,
    unknownTools: 0,
    refused: 0,
    timeouts: 0,
    internal: 0,
    misfits: 0,
    running: 0,
  };
  let table = createToolTable({ toolsets, log });
  let generation = 1;
  let offered = whatIsOffered();

  function whatIsOffered(): readonly boolean[] {
    return toolsets.map((each) => isOffered(each, log));
  }
  function changed(): void {
    table = createToolTable({ toolsets, log });
    offered = whatIsOffered();
    generation += 1;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        log.error("A listener for changed tools failed; the others go on.", error);
      }
    }
  }
  for (const toolset of toolsets) toolset.onChange?.(changed);

  /** A provider may come or go, or a flag turn, without anybody saying so: cheap enough to look each time. */
  function refresh(): void {
    for (let at = 0; at < toolsets.length; at += 1) {
      const toolset = toolsets[at];
      if (toolset !== undefined && isOffered(toolset, log) !== offered[at]) return changed();
    }
  }

  function find({ tool: name, caller, view = { kind: "all" } }: CallRequest): ListedTool | undefined {
    refresh();
    const found = table.find(name, view);
    if (!found) return undefined;
    const { tool, toolset } = found;
    const scope = caller.scope?.toolsets;
    if (scope && !scope.includes(toolset.name)) return undefined;
    if (!roleAtLeast(effectiveRole(caller), tool.minimumRole)) return undefined;
    // A flag that is off is explained; a thing that is not there is not.
    return toolset.flag?.on === false || isOffered(toolset, log) ? found : undefined;
  }

  async function run(request: CallRequest, { tool, toolset }: ListedTool): Promise<JsonObject> {
    if (toolset.flag?.on === false) {
      throw kernelError("FEATURE_OFF", `${tool.name} is switched off; ${toolset.flag.turnsOn} turns it on.`, {
        details: { turns_on: toolset.flag.turnsOn },
      });
    }
    if (countElements(request.arguments, limits.argumentElements) > limits.argumentElements) {
      throw kernelError(
        "ARGUMENTS_TOO_LARGE",
        `A call may carry at most ${limits.argumentElements} values; send less.`,
      );
    }
    checkBytes(request.arguments, toolset);
    const { input, extras } = tool.parse(request.arguments);
    const answer = await runWithDeadline({
      work: (ending) => tool.run(input, createToolContext({ request, tool, extras, ending, door })),
      deadline: tool.deadline ?? limits.deadline,
      clock,
      onTimeout: () => lateError(tool),
      onCancelled: (signal) => leftError(tool, signal),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    checkAnswer(tool, answer);
    return answer;
  }

  function checkBytes(given: unknown, { name, argumentBytes }: Toolset): void {
    if (argumentBytes === undefined || bytesOf(given) <= argumentBytes) return;
    throw kernelError("ARGUMENTS_TOO_LARGE", `A call of ${name} may carry at most ${argumentBytes} bytes; send less.`);
  }

  /** A misfit is our fault. What a MUTATE tool did has happened, and hiding its receipt would be the greater one. */
  function checkAnswer(tool: Tool, answer: JsonObject): void {
    const problems = tool.answerProblems?.(answer) ?? [];
    if (problems.length === 0) return;
    counters.misfits += 1;
    const message = `An answer of ${tool.name} does not fit its output schema.`;
    if (tool.intent === "READ_ONLY") throw internalError(log, message, new Error(problems.join("; ")));
    log.error(message, new Error(problems.join("; ")));
  }

  function failed({ toolset, tool }: ListedTool, thrown: unknown): CallResult {
    let error = asSteadingError(log, `The tool ${tool.name} failed.`, thrown);
    if (error.code === "INTERNAL") counters.internal += 1;
    else if (error.code === "TIMEOUT") counters.timeouts += 1;
    else counters.refused += 1;
    try {
      return { kind: "error", error, text: JSON.stringify(toolset.errorJson?.(error) ?? error.toJson()) };
    } catch (cause) {
      error = internalError(log, `The toolset ${toolset.name} could not put an error into words.`, cause);
      return { kind: "error", error, text: JSON.stringify(error.toJson()) };
    }
  }

  return {
    tools(view, role) {
      refresh();
      return table.list(view, role);
    },
    hasToolset: (name) => toolsets.some((each) => each.name === name),
    get generation() {
      refresh();
      return generation;
    },
    onChange(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async call(request) {
      const found = find(request);
      if (!found) {
        counters.unknownTools += 1;
        return { kind: "unknown-tool" };
      }
      if (found.tool.intent === "READ_ONLY") counters.reads += 1;
      else counters.mutations += 1;
      counters.running += 1;
      try {
        const structured = await run(request, found);
        const encoded = found.tool.encoded?.(structured);
        return { kind: "answer", structured, text: found.tool.text(structured), ...(encoded && { encoded }) };
      } catch (error) {
        return failed(found, error);
      } finally {
        counters.running -= 1;
      }
    },
    get counters() {
      return { ...counters };
    },
  };
}

const GOES_ON = "What was sent goes on; `list_actions` tells what became of it. Repeat only with the same key.";

function lateError(tool: Tool): SteadingError {
  const reads = tool.intent === "READ_ONLY";
  return kernelError("TIMEOUT", `${tool.name} did not end in time.`, {
    retryable: reads,
    ...(reads ? {} : { hint: GOES_ON }),
  });
}

/** Once a MUTATE tool runs, nobody here knows how far it got; who cancelled it may have a code of its own. */
function leftError(tool: Tool, signal: AbortSignal): SteadingError {
  const reads = tool.intent === "READ_ONLY";
  const error = cancelled(signal, reads ? "The call was cancelled." : "The call was cancelled while it was under way.");
  if (reads) return error;
  const { code, message, details } = error;
  return new SteadingError(code, message, {
    retryable: false,
    hint: GOES_ON,
    ...(details === undefined ? {} : { details }),
    cause: error.cause,
  });
}

/** As JSON, which is how arguments come and are counted by whoever sends them. */
function bytesOf(given: unknown): number {
  return new TextEncoder().encode(JSON.stringify(given) ?? "").length;
}
