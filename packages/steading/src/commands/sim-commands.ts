import type { Command } from "@commander-js/extra-typings";
import type { World } from "../world.ts";
import { flagOf, HOUSE_KNOB_FLAGS } from "./house-knob-flags.ts";
import { asPort } from "./hub-flags.ts";

const KNOB_HEADING = "Knobs, as at the start (docs/reference/virtual-house.md):";
const KNOB_HELP = `
Faults strike once, or without end where that is their nature. Options are separated by commas: times=2 or times=endless,
target=15 and from=outside|house|anyone for those of a device, and what stands in brackets. Addresses and bytes are hex.
  steading sim house --pty --nack times=2,target=15 --latency-ms 60
With --stdin each line turns a knob while it runs: \`nack times=2\`, \`nack off\`, \`latencyMs 60\`, \`cut\`, \`help\`.`;

/** `steading sim …`: simulated devices on loopback, over their real byte protocols. */
export function addSimCommands(program: Command, world: World, finished: (code: number) => void): void {
  const sim = program
    .command("sim")
    .summary("run a simulated device to try a hub on")
    .description(
      "Runs a simulated device on loopback, over its real byte protocol, until it is told to stop (Ctrl-C).",
    );

  const device = (name: string, summary: string) =>
    sim
      .command(name)
      .summary(summary)
      .description(`Runs ${summary} on loopback, until it is told to stop (Ctrl-C).`)
      .option("--ready-file <file>", "write the addresses there, as JSON, once it listens")
      .option("--json", "print the addresses as one line of JSON instead of text");

  device("lamp", "a lamp on its line protocol")
    .option("--port <number>", "its port, 0 takes a free one (default: 0)", asPort)
    .action(async (flags) => finished(await (await import("./sim.ts")).simLamp(flags, world)));

  device("farm", "several Modbus gateways with their devices").action(async (flags) =>
    finished(await (await import("./sim.ts")).simFarm(flags, world)),
  );

  const house = device("house", "a heated house on an eBUS")
    .option("--port <number>", "port of its enhanced adapter, 0 takes a free one (default: 0)", asPort)
    .option("--plain-port <number>", "port of its plain adapter (default: 0)", asPort)
    .option("--udp-port <number>", "port of its UDP adapter (default: 0)", asPort)
    .option("--pty", "also a plain adapter on a serial line: a pseudo terminal, whose path is printed")
    .option("--enh-pty", "likewise an enhanced adapter on a serial line")
    .option("--stdin", "turn knobs while it runs, by lines on standard input");
  for (const { name, value, says } of HOUSE_KNOB_FLAGS)
    house.addOption(house.createOption(`--${flagOf(name)} ${value}`, says).helpGroup(KNOB_HEADING));
  house
    .addHelpText("after", KNOB_HELP)
    .action(async (flags) => finished(await (await import("./sim-house.ts")).simHouse(flags, world)));
}
