import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Does this capability object name the tasks extension? */
export function declaresTasks(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { readonly extensions?: Readonly<Record<string, unknown>> };
  return extensions?.[TASKS_EXTENSION] !== undefined;
}

/** The request's own declaration: what an earlier request of the same connection said does not count. */
export function clientTakesTasks(context: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> | undefined = context.mcpReq.envelope;
  return declaresTasks(envelope?.[CLIENT_CAPABILITIES_META_KEY]);
}

export function tasksRequired(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}
