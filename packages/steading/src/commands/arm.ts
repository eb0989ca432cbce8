import { EXIT } from "../exit-codes.ts";
import { askDesk, type DeskAddress } from "../local/desk.ts";
import type { World } from "../world.ts";
import { cellText } from "./print-table.ts";

export interface ArmFlags extends DeskAddress {
  readonly json?: true;
}

/** Somebody has looked around after a restore: the hub may switch things on again. */
export async function arm(flags: ArmFlags, world: World): Promise<number> {
  const answer = await askDesk(flags, world, "arm_hub", {});
  const words =
    answer["armed"] === true
      ? `The hub is armed again; it was disarmed since ${cellText(answer["disarmed_since"])}.\n`
      : "The hub is armed; nothing had to be done.\n";
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}
