import { randomUUID } from "node:crypto";
import { inputRequired, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { seconds, type Clock } from "@steading/kernel";
import type { NativeContext, NativeResult, NativeTool } from "../native/native-tool.ts";
import type { TaskWork } from "../tasks/task-store.ts";
import { clientTakesTasks, tasksRequired } from "../tasks/tasks-extension.ts";
import { accepted, elicit } from "./asking-tools.ts";
import { asking, text } from "./fixture-tool.ts";

const OPEN = { type: "object" as const };

/** Work that goes on as a task where the client takes one, and is waited for where it does not. */
export function taskTools(clock: Clock): NativeTool[] {
  return [
    asking(
      "slow_compute",
      (input, context) =>
        asTask(context, async ({ signal }) => {
          await clock.sleep(seconds(Number(input["seconds"] ?? 1)), signal);
          return text("Computed.");
        }),
      { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    ),
    asking(
      "failing_job",
      (_, context) => {
        if (!clientTakesTasks(context.mcp)) throw tasksRequired();
        return asTask(context, async ({ signal }) => {
          await clock.sleep(seconds(0.3), signal);
          return { ...text("The job failed."), isError: true };
        });
      },
      OPEN,
    ),
    asking(
      "protocol_error_job",
      (_, context) =>
        asTask(context, async ({ signal }) => {
          await clock.sleep(seconds(0.1), signal);
          throw new ProtocolError(ProtocolErrorCode.InternalError, "A fault of the protocol.");
        }),
      OPEN,
    ),
    asking(
      "confirm_delete",
      (input, context) =>
        asTask(context, async ({ ask }) => {
          const file = String(input["filename"]);
          const answer = await ask(
            `confirm-${randomUUID()}`,
            question(`Delete ${file}?`, { confirm: { type: "boolean" } }),
          );
          return text(`${actionOf(answer)} ${file}`);
        }),
      { type: "object", properties: { filename: { type: "string" } } },
    ),
    asking(
      "multi_input",
      (_, context) =>
        asTask(context, async ({ ask }) => {
          const name = ask("name-1", question("What is your name?", { name: { type: "string" } }));
          const sure = ask("confirm-1", question("Are you sure?", { confirm: { type: "boolean" } }));
          return text(JSON.stringify(await Promise.all([name, sure])));
        }),
      OPEN,
    ),
    asking(
      "test_tool_with_task",
      (_, context) => {
        // Asked before there is a task: what is dangerous must not start while somebody still thinks.
        const name = accepted(context.mcp, "user_name", "name");
        if (name === undefined)
          return inputRequired({ inputRequests: { user_name: elicit("What is your name?", "name") } });
        return asTask(context, async ({ signal }) => {
          await clock.sleep(seconds(0.05), signal);
          return text(`Hello, ${name}!`);
        });
      },
      OPEN,
    ),
  ];
}

async function asTask(
  { mcp, tasks, caller }: NativeContext,
  run: (work: TaskWork) => Promise<NativeResult>,
): Promise<NativeResult> {
  const inTask = async (work: TaskWork): Promise<Record<string, unknown>> => ({ ...(await run(work)) });
  if (!clientTakesTasks(mcp)) return run({ signal: mcp.mcpReq.signal, ask: async () => ({ action: "cancel" }) });
  const task = await tasks.create({ principal: caller.principal, run: inTask });
  return task === undefined ? { ...text("Too many tasks."), isError: true } : { resultType: "task", ...task };
}

function question(message: string, properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: { type: "object", properties } },
  };
}

function actionOf(answer: unknown): string {
  return String((answer as { readonly action?: unknown } | undefined)?.action);
}
