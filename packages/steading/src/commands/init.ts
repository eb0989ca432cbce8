import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { SteadingError } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { parseSettings, SETTINGS_FILE } from "../settings/read-settings.ts";
import { settingsText, type Chosen } from "../settings/settings-text.ts";
import type { World } from "../world.ts";
import { isTerminal } from "./ask-person.ts";
import { openDialogue, type Dialogue } from "./dialogue.ts";

export interface InitFlags {
  readonly file?: string;
  readonly access?: string;
  readonly port?: number;
  readonly farm?: true;
  readonly yes?: true;
  readonly json?: true;
}

const DEFAULT_PORT = 3000;
const MOST_LAMPS = 1_000;

/** Makes a settings file, with a person at a terminal or from flags alone. Never touches one that is there. */
export async function init(flags: InitFlags, world: World): Promise<number> {
  const file = resolve(world.workingDirectory, flags.file ?? SETTINGS_FILE);
  if (existsSync(file))
    throw new SteadingError("USAGE", `${file} exists already; it is left as it is.`, {
      hint: "Change it with any editor, or give another place with --file.",
    });
  if (flags.yes !== true && !isTerminal(world.stdin))
    throw new SteadingError("USAGE", "There is no terminal to ask at; add --yes to take the defaults.");
  const chosen = flags.yes === true ? defaults(flags) : await askAll(flags, world);
  if (chosen === undefined) return tell(file, false, "Nothing was written.\n", flags, world);
  const text = settingsText(chosen);
  parseSettings(text, file); // what we write, we can read
  write(file, text);
  const words = `Written: ${file}\nStart the hub with \`steading start --config ${file}\`, or just \`steading start\` from its directory.\n`;
  return tell(file, true, words, flags, world);
}

/** Read, unless somebody said otherwise: a hub that was set up in a hurry must not switch anything on. */
function defaults({ access, port, farm }: InitFlags): Chosen {
  return { access: access === "write" ? "write" : "read", port: port ?? DEFAULT_PORT, lamps: [], farm: farm === true };
}

async function askAll(flags: InitFlags, world: World): Promise<Chosen | undefined> {
  const dialogue = openDialogue(world);
  try {
    const access = flags.access === undefined ? await askAccess(dialogue) : flags.access === "write" ? "write" : "read";
    const port =
      flags.port ?? (await dialogue.ask("On which port of this machine?", String(DEFAULT_PORT), asPortNumber));
    const lamps = await askLamps(dialogue);
    const farm = flags.farm ?? (await dialogue.ask("Is there a farm, with equipment on Modbus?", "no", asYes));
    const chosen: Chosen = { access, port, lamps, farm };
    dialogue.say(`\n${settingsText(chosen)}`);
    return (await dialogue.ask("Write this?", "yes", asYes)) ? chosen : undefined;
  } finally {
    dialogue.close();
  }
}

function askAccess(dialogue: Dialogue): Promise<Chosen["access"]> {
  dialogue.say(
    [
      "What may this hub do?",
      "  read   look at everything, switch nothing on, whoever asks. Off and stop always work.",
      "         A refusal names this setting. To change it later, set `access: write` in the file and start the hub again.",
      "  write  whatever the role of the caller allows.",
    ].join("\n"),
  );
  return dialogue.ask("read or write?", "read", (answer) =>
    answer === "read" || answer === "write" ? answer : undefined,
  );
}

async function askLamps(dialogue: Dialogue): Promise<Chosen["lamps"]> {
  const lamps: Chosen["lamps"][number][] = [];
  while (lamps.length < MOST_LAMPS && (await dialogue.ask("Add a lamp?", "no", asYes))) {
    const taken = new Set(lamps.map(({ name }) => name));
    const name = await dialogue.ask("  its name in the graph, /lamps/…", `lamp${lamps.length + 1}`, (answer) =>
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(answer) && !taken.has(answer) ? answer : undefined,
    );
    const host = await dialogue.ask("  its address", "127.0.0.1", (answer) =>
      /^\S{1,253}$/.test(answer) ? answer : undefined,
    );
    const port = await dialogue.ask("  its port", "4001", (answer) => asPortNumber(answer) || undefined);
    lamps.push({ name, host, port });
  }
  return lamps;
}

function asPortNumber(answer: string): number | undefined {
  return /^\d{1,5}$/.test(answer) && Number(answer) <= 65_535 ? Number(answer) : undefined;
}

function asYes(answer: string): boolean | undefined {
  if (/^y(es)?$/i.test(answer)) return true;
  return /^no?$/i.test(answer) ? false : undefined;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    throw new SteadingError("USAGE", `${file} cannot be written.`, {
      hint: "Give a place in a directory that you may write to with --file.",
      cause,
    });
  }
}

function tell(file: string, written: boolean, words: string, { json }: InitFlags, { stdout }: World): number {
  stdout.write(json ? `${JSON.stringify({ file, written })}\n` : words);
  return EXIT.ok;
}
