import type { Health } from "@steading/kernel";
import type { Store } from "@steading/store";
import { hubError } from "./hub-errors.ts";

type Armed = Pick<Store, "disarmed">;

/**
 * What the door asks before every effect towards live. A hub that came back from a backup believes a state of the place
 * that is long past, so it switches nothing on until a person has looked.
 */
export function accessOf(store: Armed, setting: "read" | "write"): "read" | "write" {
  const disarmed = store.disarmed();
  if (disarmed === undefined) return setting;
  throw hubError("HUB_DISARMED", `${sentence(disarmed.since)} Nothing is switched on until then.`, {
    details: { since: iso(disarmed.since), backup_made_at: iso(disarmed.backupMadeAt) },
  });
}

export function armingHealth(store: Armed): Health {
  const disarmed = store.disarmed();
  return disarmed === undefined ? { status: "ok" } : { status: "degraded", reason: sentence(disarmed.since) };
}

function sentence(since: number): string {
  return `Disarmed since ${iso(since)}, after a restore; look around, then run \`steading arm\`.`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
