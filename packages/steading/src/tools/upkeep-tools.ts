import { defineTool, minutes, type Health, type Toolset } from "@steading/kernel";
import type { Store } from "@steading/store";
import * as z from "zod";

interface UpkeepDeps {
  readonly store: Pick<Store, "backup">;
  health(): Health;
}

/** Looking after the hub's own state. */
export function createUpkeepTools({ store, health }: UpkeepDeps): Toolset {
  const check = defineTool({
    name: "check_hub",
    title: "How the hub is",
    summary: "Tells whether the hub and its parts are well.",
    input: z.object({}),
    output: z.object({ status: z.string(), reason: z.string().optional(), pid: z.number() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: () => ({ ...health(), pid: process.pid }),
  });
  const backup = defineTool({
    name: "backup_hub",
    title: "Back up",
    summary: "Copies the hub's state into a directory that does not exist yet, while the hub runs.",
    input: z.object({ to: z.string().min(1).max(4_096).describe("An absolute path on the hub's machine.") }),
    output: z.object({ to: z.string(), made_at: z.iso.datetime(), bytes: z.number() }),
    intent: "MUTATE",
    minimumRole: "admin",
    deadline: minutes(30),
    async handler({ to }) {
      const { madeAt, files } = await store.backup(to);
      const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
      return { to, made_at: new Date(madeAt).toISOString(), bytes };
    },
  });
  return { name: "upkeep", tools: [backup, check] };
}
