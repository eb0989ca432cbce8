/** A task as clients see it: flat, times in ISO 8601, durations as whole milliseconds. */
export interface TaskView {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** Of a completed task. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** Of a failed one: a JSON-RPC fault. A tool's own error is a result. */
  readonly error?: { readonly code: number; readonly message: string };
  /** Of one that waits for answers. */
  readonly inputRequests?: Readonly<Record<string, unknown>>;
}

export const TASK_STATES = ["working", "input_required", "completed", "failed", "cancelled"] as const;
export type TaskStatus = (typeof TASK_STATES)[number];

export function isOver(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
