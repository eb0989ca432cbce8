import * as z from "zod";

const Filter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
  taskIds: z.array(z.string()).optional(),
});

/** What a client wants to hear of, each thing once. */
export interface ListenFilter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: readonly string[];
  readonly taskIds: readonly string[];
}

/** Undefined: `params.notifications` is missing or no filter. */
export function readListenFilter(params: unknown): ListenFilter | undefined {
  const given = (params as { readonly notifications?: unknown } | null | undefined)?.notifications;
  const { success, data } = Filter.safeParse(given);
  if (!success) return undefined;
  return {
    tools: data.toolsListChanged === true,
    prompts: data.promptsListChanged === true,
    resources: data.resourcesListChanged === true,
    uris: [...new Set(data.resourceSubscriptions)],
    taskIds: [...new Set(data.taskIds)],
  };
}

/** The part that will be honoured, as the acknowledgement says it. Empty: nothing. */
export function toAcknowledgement(filter: ListenFilter): Record<string, unknown> {
  return {
    ...(filter.tools && { toolsListChanged: true }),
    ...(filter.prompts && { promptsListChanged: true }),
    ...(filter.resources && { resourcesListChanged: true }),
    ...(filter.uris.length > 0 && { resourceSubscriptions: filter.uris }),
    ...(filter.taskIds.length > 0 && { taskIds: filter.taskIds }),
  };
}
