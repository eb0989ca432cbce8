import type { CallResult, Dispatcher } from "@steading/kernel";
import type { Spans } from "./spans.ts";

/** A span for each call of a tool, also for those that other tools make; what happens inside hangs below it. */
export function traceDispatcher(dispatcher: Dispatcher, spans: Spans): Dispatcher {
  return {
    tools: (view, role) => dispatcher.tools(view, role),
    hasToolset: (name) => dispatcher.hasToolset(name),
    get generation() {
      return dispatcher.generation;
    },
    onChange: (listener) => dispatcher.onChange(listener),
    async call(request) {
      const { caller, tool } = request;
      const span = spans.begin({
        // Whether there is such a tool is known afterwards; until then its name is a stranger's word.
        name: "tool",
        kind: "internal",
        trace: caller,
        attributes: {
          "steading.role": caller.role,
          "steading.transport": caller.transport,
          "steading.correlation": caller.correlation,
        },
      });
      const result = await dispatcher.call({ ...request, caller: { ...caller, ...span.trace } });
      if (result.kind !== "unknown-tool") span.rename(`tool ${tool}`, { "gen_ai.tool.name": tool });
      span.end(wordOf(result), result.kind !== "answer");
      return result;
    },
  };
}

/** A code is our own word; a message is not told. */
function wordOf(result: CallResult): string {
  return result.kind === "error" ? result.error.code : result.kind === "answer" ? "complete" : result.kind;
}
