import { randomUUID } from "node:crypto";
import { SteadingError, type Log } from "@steading/kernel";
import { toolError } from "./tool-errors.ts";

/**
 * Lets our own errors pass and turns everything else into INTERNAL: a generic sentence and a reference to the log. Raw
 * exception texts may hold secrets or device text.
 */
export function guarded<I, C, R>(log: () => Log, tool: string, handler: (input: I, context: C) => R | Promise<R>) {
  return async (input: I, context: C): Promise<R> => {
    try {
      return await handler(input, context);
    } catch (cause) {
      if (cause instanceof SteadingError) throw cause;
      throw internalError(log(), tool, cause);
    }
  };
}

function internalError(log: Log, tool: string, cause: unknown): SteadingError {
  const ref = randomUUID();
  log.error("A subject tool failed.", cause, { tool, ref });
  return toolError("INTERNAL", `Something went wrong inside ${tool}; the log has it under ${ref}.`, {
    details: { ref },
    cause,
  });
}
