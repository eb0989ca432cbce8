import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { callerOf, type Identity } from "../eras/identity.ts";
import { clientTakesTasks, tasksRequired } from "./tasks-extension.ts";
import type { TaskStore } from "./task-store.ts";

// Handing over a schema is also what tells the SDK that these are methods of an extension.
const params = z.looseObject({ taskId: z.string() });

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for the principal that made the task and a client that declared it. */
export function addTaskMethods(server: Server, tasks: TaskStore, identity: Identity): void {
  function principalOf(context: ServerContext): string {
    if (!clientTakesTasks(context)) throw tasksRequired();
    return callerOf(context, identity).principal;
  }
  server.setRequestHandler("tasks/get", { params }, ({ taskId }, context) => {
    const task = tasks.get(taskId, principalOf(context));
    if (task === undefined) throw notFound();
    return { ...task };
  });
  server.setRequestHandler("tasks/update", { params }, ({ taskId }, context) => {
    // The SDK lifts the answers off `params`, for every method.
    if (!tasks.answer(taskId, principalOf(context), context.mcpReq.inputResponses)) throw notFound();
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }, context) => {
    if (!tasks.cancel(taskId, principalOf(context))) throw notFound();
    return {};
  });
}

function notFound(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found");
}
