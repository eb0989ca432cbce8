import { isJsonObject, SteadingError, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { withHub, type HubAddress } from "../local/hub-client.ts";
import { controlPath } from "../settings/data-directory.ts";
import type { World } from "../world.ts";
import { cellText, printTable } from "./print-table.ts";

export interface ApproveFlags extends HubAddress {
  readonly list?: true;
  readonly decline?: true;
  readonly json?: true;
}

/** Lists what waits for a yes, or decides about one of it. */
export async function approve(id: string | undefined, flags: ApproveFlags, world: World): Promise<number> {
  if ((id === undefined) !== (flags.list === true)) {
    throw new SteadingError("USAGE", "Give the id of one approval, or --list to see what waits.");
  }
  const answer = await withHub(
    flags,
    world,
    (hub) =>
      id === undefined
        ? hub.ask("list_approvals", {})
        : hub.ask("decide_approval", { id, approve: flags.decline !== true }),
    controlPath,
  );
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words(answer));
  return EXIT.ok;
}

function words({ approvals, approval }: JsonObject): string {
  if (isJsonObject(approval)) {
    const granted = approval["state"] === "granted";
    return granted
      ? `Approved: ${cellText(approval["summary"])}\nIt happens when ${cellText(approval["asked_by"])} goes on with the call.\n`
      : `Declined: ${cellText(approval["summary"])}\n`;
  }
  const rows = Array.isArray(approvals) ? approvals.filter(isJsonObject) : [];
  if (rows.length === 0) return "Nothing waits for an approval.\n";
  return printTable(
    ["ID", "UNTIL", "ASKED BY", "TOOL", "WHAT"],
    rows.map(({ id, expires_at: until, asked_by: by, tool, summary }) => [id, until, by, tool, summary].map(String)),
  );
}
