import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SteadingError, type JsonObject, type Role } from "@steading/kernel";
import { APP_FACTS, configFile, type HostApp } from "../connect/host-apps.ts";
import { replaceFile } from "../connect/replace-file.ts";
import { differences, withServer } from "../connect/with-server.ts";
import { EXIT } from "../exit-codes.ts";
import { LAUNCHER } from "../launcher-path.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import { askYes } from "./ask-person.ts";

export interface ConnectFlags {
  readonly data?: string;
  readonly file?: string;
  readonly name: string;
  readonly role?: Role;
  readonly print?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Puts this hub into the configuration of a program that speaks MCP. Shows what changes before it does. */
export async function connect(app: HostApp, flags: ConnectFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const { title, member, typed } = APP_FACTS[app];
  const { name, role } = flags;
  const args = [LAUNCHER, "stdio", "--data", dataDirectory(flags.data, environment), ...(role ? ["--role", role] : [])];
  const entry: JsonObject = { ...(typed && { type: "stdio" }), command: process.execPath, args };
  if (flags.print) {
    world.stdout.write(`${JSON.stringify({ [member]: { [name]: entry } }, null, flags.json ? undefined : 2)}\n`);
    return EXIT.ok;
  }
  const file =
    flags.file === undefined
      ? configFile(app, environment, process.platform)
      : resolve(world.workingDirectory, flags.file);
  const before = read(file);
  const after = withServer(before, { member, name, entry }, file);
  const change = differences(before ?? "", after);
  if (change === "") return tell({ file, changed: false }, `${title} knows this hub already.\n`, flags, world);

  world.stderr.write(`${file}\n${change}\n`);
  if (flags.yes !== true && !(await askYes("Write this?", world)))
    return tell({ file, changed: false }, "Nothing was changed.\n", flags, world);
  const kept = replaceFile(file, after, new Date());
  const words = `Written.${kept === undefined ? "" : ` What was there before is in ${kept}.`} Start ${title} again to use it.\n`;
  return tell({ file, changed: true, ...(kept !== undefined && { kept }) }, words, flags, world);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new SteadingError("CLIENT_CONFIG_UNREADABLE", `${file} cannot be read.`, { cause });
  }
}

function tell(answer: JsonObject, words: string, { json }: ConnectFlags, { stdout }: World): number {
  stdout.write(json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}
