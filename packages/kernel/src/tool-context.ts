import { ROLES } from "./caller.ts";
import type { CallRequest } from "./dispatcher.ts";
import type { Door } from "./door.ts";
import type { Confirm, Effect } from "./effect.ts";
import type { Ending } from "./run-with-deadline.ts";
import type { AskedEffect, CallExtras, Tool, ToolContext } from "./tool.ts";

/** What the handler of one call may use. Who asks, with which key and approval, it cannot change. */
export function createToolContext({
  request,
  tool,
  extras,
  ending,
  door,
}: {
  readonly request: CallRequest;
  readonly tool: Tool;
  readonly extras: CallExtras;
  readonly ending: Ending;
  readonly door: Pick<Door, "perform">;
}): ToolContext {
  const { caller, onApproval } = request;
  const { idempotencyKey, approval } = extras;
  /** How many effects of this call went to each target. */
  let effects: Map<string, number> | undefined;

  /**
   * One call may have several effects: the first has the caller's key, each further one a place of its own under it,
   * named by its target. Not by when it came: effects on several targets run side by side.
   */
  function nextKey(target: string): string | undefined {
    const isFirst = effects === undefined;
    effects ??= new Map();
    const turn = (effects.get(target) ?? 0) + 1;
    effects.set(target, turn);
    return idempotencyKey === undefined || isFirst ? idempotencyKey : `${idempotencyKey}\n${target}\n${turn}`;
  }

  return {
    caller,
    get signal() {
      return ending.signal;
    },
    progress: (done, total, message) => request.progress?.(done, total, message),
    perform(asked) {
      const key = nextKey(asked.target);
      const effect: Effect = {
        ...strictest(tool, asked),
        tool: tool.name,
        caller,
        ...(key === undefined ? {} : { key }),
        ...(approval === undefined ? {} : { approval }),
      };
      return door.perform(effect, { signal: ending.signal, ...(onApproval === undefined ? {} : { onApproval }) });
    },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(approval === undefined ? {} : { approval }),
  };
}

const CONFIRMS: readonly Confirm[] = ["plain", "confirm", "approve"];

/** Between what the tool says and what its handler says about one effect, the stricter counts. */
function strictest(tool: Tool, asked: AskedEffect): Omit<Effect, "tool" | "caller" | "key" | "approval"> {
  const { minimumRole = "viewer", confirm = "plain" } = asked;
  return {
    ...(tool.sameKey === undefined ? {} : { sameKey: tool.sameKey }),
    ...(tool.keyTtl === undefined ? {} : { keyTtl: tool.keyTtl }),
    ...asked,
    minimumRole: ROLES[Math.max(ROLES.indexOf(tool.minimumRole), ROLES.indexOf(minimumRole))] ?? "admin",
    confirm: CONFIRMS[Math.max(CONFIRMS.indexOf(tool.confirm), CONFIRMS.indexOf(confirm))] ?? "approve",
  };
}
