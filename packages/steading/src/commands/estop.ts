import { isJsonObject, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { withHub, type HubAddress } from "../local/hub-client.ts";
import type { World } from "../world.ts";
import { cellText } from "./print-table.ts";

export interface EstopFlags extends HubAddress {
  readonly json?: true;
}

/** Everything off. Ends with 1 when anything is not known to be off, so that a script notices. */
export async function estop(flags: EstopFlags, world: World): Promise<number> {
  const answer = await withHub(flags, world, (hub) => hub.ask("emergency_stop", {}));
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : inWords(answer));
  return notKnown(answer).length === 0 && answer["held"] === true ? EXIT.ok : EXIT.toolError;
}

function notKnown(answer: JsonObject): readonly JsonObject[] {
  const found = answer["not_known"];
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

function inWords(answer: JsonObject): string {
  const lines = [`${cellText(answer["off"])} things are known to be off.`];
  for (const { path, receipt, error } of notKnown(answer)) {
    const stage = isJsonObject(receipt) ? cellText(receipt["stage"]) : "not sent";
    const why = isJsonObject(error) ? ` (${cellText(error["message"])})` : "";
    lines.push(`NOT KNOWN: ${cellText(path)}: ${stage}${why} Go and look.`);
  }
  lines.push(
    answer["held"] === true
      ? "Nothing is switched on again until somebody runs `steading arm`."
      : "The hub could not note the stop down; it may be switched on again. Stop the hub.",
  );
  return `${lines.join("\n")}\n`;
}
