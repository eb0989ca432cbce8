import type { Server } from "@modelcontextprotocol/server";
import type { Clock } from "@steading/kernel";
import type { RequestState } from "../calls/request-state.ts";
import type { ToolCalls } from "../calls/tool-calls.ts";
import type { Window } from "../http/route.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { clientTakesTasks } from "../tasks/tasks-extension.ts";
import { confirmationOf } from "./confirmation-of.ts";
import { invalidParams, type Guarded } from "./guarded.ts";
import { callerOf, type Identity } from "./identity.ts";
import { progressOf } from "./progress.ts";
import { seatsFor } from "./web-request.ts";

export interface ToolMethodsDeps {
  readonly pages: ToolPages;
  readonly calls: ToolCalls;
  readonly guarded: Guarded;
  readonly clock: Clock;
  readonly state: RequestState;
}

export function addToolMethods(
  server: Server,
  identity: Identity,
  window: Window,
  era: "modern" | "legacy",
  { pages, calls, guarded, clock, state }: ToolMethodsDeps,
): void {
  server.setRequestHandler("tools/list", (request, context) =>
    guarded(() => {
      const page = pages.page(callerOf(context, identity), window, request.params?.cursor);
      if (page === undefined) throw invalidParams("Invalid cursor");
      return { tools: page.tools, ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }) };
    }),
  );
  server.setRequestHandler("tools/call", (request, context) =>
    guarded(async () => {
      const result = await calls.run({
        name: request.params.name,
        arguments: request.params.arguments,
        caller: callerOf(context, identity),
        window,
        era,
        signal: context.mcpReq.signal,
        takesTask: clientTakesTasks(context),
        seats: seatsFor(context.http?.req),
        confirmation: () => confirmationOf(context, server, era, state),
        native: () => ({ mcp: context, server }),
        ...progressOf(context, clock),
      });
      // The SDK's type knows no tasks, though it lets them through.
      return result as Exclude<typeof result, { resultType: "task" }>;
    }),
  );
}
