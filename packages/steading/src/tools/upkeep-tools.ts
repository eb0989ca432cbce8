import { defineTool, minutes, type Health, type Toolset } from "@steading/kernel";
import type { Store } from "@steading/store";
import * as z from "zod";
import type { Arming } from "../hub/arming.ts";
import { changeHub, ReceiptJson } from "./hub-change.ts";

interface UpkeepDeps {
  readonly store: Pick<Store, "backup">;
  readonly arming: Pick<Arming, "arm" | "held">;
  health(): Health;
}

/** The longest that copying everything may take. */
const BACKUP_TAKES = minutes(30);

/** Looking after the hub's own state. */
export function createUpkeepTools({ store, arming, health }: UpkeepDeps): Toolset {
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
    output: z.object({ to: z.string(), made_at: z.iso.datetime(), bytes: z.number(), receipt: ReceiptJson }),
    intent: "MUTATE",
    minimumRole: "admin",
    deadline: BACKUP_TAKES,
    async handler({ to }, context) {
      const { value, receipt } = await changeHub(context, {
        arguments: { to },
        target: "hub:backup",
        summary: "Copy the hub's state.",
        sendDeadline: BACKUP_TAKES,
        async change() {
          const { madeAt, files } = await store.backup(to);
          const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
          return { to, made_at: new Date(madeAt).toISOString(), bytes };
        },
      });
      return { ...value, receipt };
    },
  });
  const arm = defineTool({
    name: "arm_hub",
    title: "Arm the hub",
    summary: "Lets a hub act again after a restore or an emergency stop. Somebody has looked around first.",
    input: z.object({}),
    output: z.object({
      armed: z.boolean().describe("False: it was not disarmed."),
      disarmed_since: z.iso.datetime().optional(),
      receipt: ReceiptJson.optional(),
    }),
    intent: "MUTATE",
    minimumRole: "admin",
    async handler(_, context) {
      const held = arming.held();
      if (held === undefined) return { armed: false };
      const { value, receipt } = await changeHub(context, {
        arguments: {},
        target: "hub:arming",
        summary: "Let the hub act again.",
        async change() {
          await arming.arm(context.caller);
          return { armed: true, disarmed_since: new Date(held.since).toISOString() };
        },
      });
      return { ...value, receipt };
    },
  });
  return { name: "upkeep", tools: [arm, backup, check] };
}
