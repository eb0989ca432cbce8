import type { Command } from "@commander-js/extra-typings";
import type { World } from "../world.ts";
import { asCount } from "./ebus-flags.ts";

/** `steading ebus …`: looking at a heating bus without a hub. */
export function addEbusCommands(program: Command, world: World, finished: (code: number) => void): void {
  const ebus = program.command("ebus").summary("look at a heating bus").description("Looks at an eBUS without a hub.");

  ebus
    .command("dump")
    .summary("print every telegram")
    .description(
      "Listens at an adapter and prints every telegram until Ctrl-C. Sends nothing to the bus, whatever the adapter is.",
    )
    .argument("<adapter>", "such as enh://192.168.1.5:9999, tcp-plain://host:port or serial:///dev/ttyUSB0")
    .option("--seconds <number>", "stop after that long", asCount)
    .option("--telegrams <number>", "stop after that many", asCount)
    .option("--out <file>", "also record every symbol there, for `ebus replay`")
    .option("--json", "one JSON object a line")
    .action(async (adapter, flags) => finished(await (await import("./ebus-dump.ts")).ebusDump(adapter, flags, world)));

  ebus
    .command("replay")
    .summary("read a recording again")
    .description("Reads what `ebus dump --out` recorded and prints its telegrams and what went wrong on the wire.")
    .argument("<file>", "the recording, - for standard input")
    .option("--summary", "only the counts")
    .option("--json", "one JSON object a line")
    .action(async (file, flags) => finished(await (await import("./ebus-replay.ts")).ebusReplay(file, flags, world)));
}
