import { createInterface } from "node:readline";
import { SteadingError } from "@steading/kernel";
import { carryOutKnobLine, createHouse, HOUSE_KNOBS, readKnobText, type House, type PtyAddress } from "@steading/sim";
import type { World } from "../world.ts";
import { addressText, runSimulated, type Addresses, type SimFlags } from "./sim.ts";

export interface SimHouseFlags extends SimFlags {
  readonly port?: number;
  readonly plainPort?: number;
  readonly udpPort?: number;
  readonly pty?: true;
  readonly enhPty?: true;
  readonly stdin?: true;
}

const LONGEST_LINE = 1_000;

/** The virtual house, its knobs turned as the flags say, and further by lines on standard input if that is wanted. */
export async function simHouse(flags: SimHouseFlags, world: World): Promise<number> {
  const house = createHouse();
  for (const [name, given] of Object.entries(flags)) if (HOUSE_KNOBS.includes(name)) turn(house, name, given);
  let forget = (): void => {};
  return runSimulated(
    {
      what: "A heated house on an eBUS",
      start: () => start(house, flags),
      async stop() {
        forget();
        await house.stop();
      },
    },
    flags,
    world,
    () => {
      if (flags.stdin) forget = obeyLines(house, world);
    },
  );
}

function turn(house: House, name: string, given: unknown): void {
  try {
    // A fault without options comes as `true`: it is armed as it is.
    house.knobs.turn(readKnobText(name, typeof given === "string" ? given : ""));
  } catch (cause) {
    throw new SteadingError("USAGE", cause instanceof Error ? cause.message : "No such knob.", { cause });
  }
}

async function start(house: House, flags: SimHouseFlags): Promise<Addresses> {
  const { port = 0, plainPort = 0, udpPort = 0 } = flags;
  const { enh, plain, udp, pty, enhPty } = await house.start({
    enh: port,
    plain: plainPort,
    udp: udpPort,
    pty: flags.pty === true,
    enhPty: flags.enhPty === true,
  });
  return {
    ...(enh && { enh: addressText(enh) }),
    ...(plain && { plain: addressText(plain) }),
    ...(udp && { udp: addressText(udp) }),
    ...(pty && { pty: pathOf(pty) }),
    ...(enhPty && { enhPty: pathOf(enhPty) }),
  };
}

function pathOf(pty: PtyAddress): string {
  if ("unavailable" in pty) throw new SteadingError("PTY_UNAVAILABLE", pty.unavailable);
  return pty.path;
}

function obeyLines({ knobs }: House, world: World): () => void {
  const lines = createInterface({ input: world.stdin });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    world.stdout.write(`${answerTo(line)}\n`);
  });
  function answerTo(line: string): string {
    try {
      if (line.length > LONGEST_LINE) throw new Error(`A line has at most ${LONGEST_LINE} characters.`);
      return carryOutKnobLine(knobs, line);
    } catch (error) {
      return `error: ${error instanceof Error ? error.message : "unknown"}`;
    }
  }
  return () => lines.close();
}
