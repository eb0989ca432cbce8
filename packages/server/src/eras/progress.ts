import type { ServerContext } from "@modelcontextprotocol/server";
import type { Clock } from "@steading/kernel";
import type { ToolCall } from "../calls/tool-calls.ts";

/** Least distance between two progress messages of one call: five a second. */
const APART_MS = 200;

/** Progress messages, if the client asked for them: strictly growing and thinned out. */
export function progressOf(context: ServerContext, clock: Pick<Clock, "monotonic">): Pick<ToolCall, "progress"> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  let furthest = Number.NEGATIVE_INFINITY;
  let lastSent = Number.NEGATIVE_INFINITY;
  return {
    progress(done, total, message) {
      const at = clock.monotonic();
      if (!(done > furthest) || at - lastSent < APART_MS || context.mcpReq.signal.aborted) return;
      furthest = done;
      lastSent = at;
      const params = {
        progressToken,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      // The connection may be gone; the call's own answer will notice.
      context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
