import { minutes, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { iso } from "../model/instant.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, ok } from "./farm-route.ts";

/** Copying a large history takes its time. */
const TAKES = minutes(10);
/** A name, never a path: what is copied stays where the hub keeps its copies. */
const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, "must be the name that the backup was answered with");

/** Copies of everything the hub keeps, made while it runs. */
export function createBackupRoutes({ backups, core }: ApiDeps): readonly Route[] {
  function port(): NonNullable<typeof backups> {
    if (backups) return backups;
    throw farmError("NOT_AVAILABLE", "This hub makes no backups over REST; use `steading backup` on its machine.");
  }

  return [
    farmRoute({
      method: "POST",
      path: "/api/settings/backup",
      role: "admin",
      summary: "Copy everything, while the hub runs",
      deadline: TAKES,
      async handle(_input, { caller }) {
        const name = `backup-${iso(core.now()).replaceAll(/[:.]/g, "-")}`;
        const { madeAt, bytes } = await port().make(name, caller);
        return ok({ success: true, message: "Backup made", name, made_at: iso(madeAt), bytes });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/settings/restore",
      role: "admin",
      summary: "Lay a backup ready; the next start takes it up, and switches nothing until somebody arms the hub",
      deadline: TAKES,
      body: z.object({ name: Name }),
      async handle({ body: { name } }, { caller }) {
        await port().restore(name, caller);
        return {
          status: 202,
          body: { success: true, message: "The backup is checked and laid ready; restart the hub to take it up", name },
        };
      },
    }),
  ];
}
