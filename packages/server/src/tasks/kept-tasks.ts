import type { Clock, Duration, Json, JsonObject, Ledger, Log } from "@steading/kernel";
import * as z from "zod";
import { TASK_STATES } from "./task-view.ts";

const SPACE = "mcp-tasks";

const Kept = z.strictObject({
  id: z.string(),
  principal: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  status: z.enum(TASK_STATES),
  outcome: z.strictObject({
    result: z.exactOptional(z.record(z.string(), z.unknown())),
    error: z.exactOptional(z.strictObject({ code: z.number(), message: z.string() })),
    statusMessage: z.exactOptional(z.string()),
  }),
});
/** A task as it survives a restart: how it began, and how it ended if it did. */
export type KeptTask = z.infer<typeof Kept>;

/** Where tasks that act on the world are written down. */
export interface KeptTasks {
  /** Resolves once a kill cannot undo it. */
  put(task: KeptTask): Promise<void>;
  forget(id: string): void;
  /** Those that are not too old yet; the others are let go. */
  restore(): readonly KeptTask[];
}

export function createKeptTasks({
  ledger,
  clock,
  age,
  log,
}: {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly age: Duration;
  readonly log: Log;
}): KeptTasks {
  function forget(id: string): void {
    ledger
      .commit({ durability: "volatile", deletes: [{ space: SPACE, key: id }] })
      .catch((fault: unknown) => log.error("A task could not be forgotten.", fault));
  }
  return {
    async put(task) {
      // A result is JSON already: it comes from a dispatcher's answer.
      const value = { ...task, outcome: task.outcome as JsonObject } satisfies Json;
      await ledger.commit({ durability: "kept", puts: [{ space: SPACE, key: task.id, value }] });
    },
    forget,
    restore() {
      return ledger.list(SPACE).flatMap(({ key, entry }) => {
        const task = Kept.safeParse(entry.value).data;
        if (task !== undefined && task.createdAt + age > clock.now()) return [task];
        forget(key);
        return [];
      });
    },
  };
}
