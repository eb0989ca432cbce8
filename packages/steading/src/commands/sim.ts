import { SteadingError } from "@steading/kernel";
import { createLamp, createVirtualFarm } from "@steading/sim";
import { EXIT } from "../exit-codes.ts";
import { removeReadyFile, writeReadyFile } from "../hub/ready-file.ts";
import type { World } from "../world.ts";
import { stopped } from "./stopped.ts";

export interface SimFlags {
  readonly readyFile?: string;
  readonly json?: true;
}

/** `host:port` by the name of the port. */
export type Addresses = Readonly<Record<string, string>>;

/** Something simulated that listens on loopback until it is told to stop. */
export interface Simulated {
  /** What it is, as a sentence begins. */
  readonly what: string;
  start(): Promise<Addresses>;
  stop(): Promise<void>;
}

export function simLamp(flags: SimFlags & { readonly port?: number }, world: World): Promise<number> {
  const lamp = createLamp({ port: flags.port ?? 0 });
  const what = "A lamp on its line protocol";
  const start = async (): Promise<Addresses> => ({ lamp: addressText(await lamp.start()) });
  return runSimulated({ what, start, stop: () => lamp.stop() }, flags, world);
}

export function simFarm(flags: SimFlags, world: World): Promise<number> {
  const farm = createVirtualFarm();
  const start = async (): Promise<Addresses> => {
    const gateways = Object.entries(await farm.start());
    return Object.fromEntries(gateways.map(([name, each]) => [name, addressText(each)]));
  };
  return runSimulated({ what: "A farm on Modbus", start, stop: () => farm.stop() }, flags, world);
}

/** Runs one simulated device in a process of its own, for a hub of yours to be tried on. */
export async function runSimulated(
  simulated: Simulated,
  flags: SimFlags,
  world: World,
  running: () => void = () => {},
): Promise<number> {
  let written: string | undefined;
  try {
    const addresses = await simulated.start();
    const ready = { ...addresses, pid: process.pid };
    world.stdout.write(flags.json ? `${JSON.stringify(ready)}\n` : inWords(simulated.what, addresses));
    if (flags.readyFile !== undefined) writeReadyFile((written = flags.readyFile), ready);
    running();
    await stopped(world.stop);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof SteadingError || !(error instanceof Error)) throw error;
    throw new SteadingError("PORT_TAKEN", error.message, { cause: error });
  } finally {
    if (written !== undefined) removeReadyFile(written);
    await simulated.stop();
  }
}

export function addressText({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}

function inWords(what: string, addresses: Addresses): string {
  const lines = Object.entries(addresses).map(([name, at]) => `  ${name.padEnd(10)} ${at}`);
  return `${what} runs. Stop with Ctrl-C.\n${lines.join("\n")}\n`;
}
