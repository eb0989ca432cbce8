import { ROLES } from "./caller.ts";
import type { CallRequest } from "./dispatcher.ts";
import type { Door } from "./door.ts";
import type { Confirm, Effect } from "./effect.ts";
import type { AskedEffect, CallExtras, Tool, ToolContext } from "./tool.ts";

/** What the handler of one call may use. Who asks, with which key and approval, it cannot change. */
export function createToolContext({
  request,
  tool,
  extras,
  signal,
  door,
}: {
  readonly request: CallRequest;
  readonly tool: Tool;
  readonly extras: CallExtras;
  readonly signal: AbortSignal;
  readonly door: Pick<Door, "perform">;
}): ToolContext {
  const { caller, onApproval } = request;
  const { idempotencyKey, approval } = extras;
  let effects = 0;

  /** One call may have several effects: each has its own place under the caller's key, in the order they come. */
  function nextKey(): string | undefined {
    effects += 1;
    return idempotencyKey === undefined || effects === 1 ? idempotencyKey : `${idempotencyKey}#${effects}`;
  }

  return {
    caller,
    signal,
    progress: (done, total, message) => request.progress?.(done, total, message),
    perform(asked) {
      const key = nextKey();
      const effect: Effect = {
        ...strictest(tool, asked),
        tool: tool.name,
        caller,
        ...(key === undefined ? {} : { key }),
        ...(approval === undefined ? {} : { approval }),
      };
      return door.perform(effect, { signal, ...(onApproval === undefined ? {} : { onApproval }) });
    },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
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
