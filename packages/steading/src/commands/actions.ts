import { isJsonObject, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { withHub, type HubAddress } from "../local/hub-client.ts";
import type { World } from "../world.ts";
import { cellText, printTable } from "./print-table.ts";

export interface ActionsFlags extends HubAddress {
  readonly inDoubt?: true;
  readonly limit?: number;
  readonly json?: true;
}

/** What became of one action, or of the latest ones. */
export async function actions(id: string | undefined, flags: ActionsFlags, world: World): Promise<number> {
  const { inDoubt, limit, json } = flags;
  const answer = await withHub(flags, world, (hub) =>
    id === undefined
      ? hub.ask("list_actions", { ...(inDoubt && { in_doubt: true }), ...(limit !== undefined && { limit }) })
      : hub.ask("get_action", { id }),
  );
  if (json) world.stdout.write(`${JSON.stringify(answer)}\n`);
  else if (id !== undefined) world.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  else world.stdout.write(asTable(answer));
  return EXIT.ok;
}

function asTable({ actions: found, cut }: JsonObject): string {
  const rows = Array.isArray(found) ? found.filter(isJsonObject) : [];
  if (rows.length === 0) return "No actions.\n";
  const table = printTable(
    ["WHEN", "ID", "STAGE", "BY", "WHAT"],
    rows.map(({ requested_at: at, id, receipt, principal, summary }) => [
      cellText(at),
      cellText(id),
      isJsonObject(receipt) ? cellText(receipt["stage"]) : "",
      cellText(principal),
      cellText(summary),
    ]),
  );
  return cut === true ? `${table}… there are more; raise --limit\n` : table;
}
