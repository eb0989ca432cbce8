import type { Command } from "@commander-js/extra-typings";
import type { World } from "../world.ts";

/** `steading farm …`: what concerns the farm alone, on the state of a hub that does not run. */
export function addFarmCommands(program: Command, world: World, finished: (code: number) => void): void {
  const farm = program
    .command("farm")
    .summary("bring an old farm along")
    .description("Works on the farm of a hub that does not run.");

  farm
    .command("import")
    .summary("take over the database of a SenseHub")
    .description(
      "Reads the SQLite file of a SenseHub and takes over its users, equipment, readings and the rest, with their numbers. The file is only read; the farm here must be empty and the hub must not run.",
    )
    .argument("<file>", "the database, usually sensehub.db")
    .option("--dry-run", "only look and report; nothing is changed")
    .option("--data <dir>", "data directory of the hub")
    .option("--json", "print the report as one line of JSON")
    .action(async (file, flags) => finished(await (await import("./farm-import.ts")).farmImport(file, flags, world)));
}
