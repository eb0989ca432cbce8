import { SteadingError } from "@steading/kernel";
import { createHouse, createLamp, createVirtualFarm } from "@steading/sim";
import { EXIT } from "../exit-codes.ts";
import { removeReadyFile, writeReadyFile } from "../hub/ready-file.ts";
import type { World } from "../world.ts";
import { stopped } from "./stopped.ts";

export interface SimFlags {
  readonly port?: number;
  readonly readyFile?: string;
  readonly json?: true;
}

/** `host:port` by the name of the port. */
type Addresses = Readonly<Record<string, string>>;

/** Something simulated that listens on loopback until it is told to stop. */
interface Simulated {
  start(): Promise<Addresses>;
  stop(): Promise<void>;
}

const DEVICES = {
  lamp(port: number): Simulated {
    const lamp = createLamp({ port });
    return { start: async () => ({ lamp: address(await lamp.start()) }), stop: () => lamp.stop() };
  },
  house(port: number): Simulated {
    const house = createHouse();
    return {
      async start() {
        const { enh, plain, udp } = await house.start({ enh: port, plain: 0, udp: 0 });
        return {
          ...(enh && { enh: address(enh) }),
          ...(plain && { plain: address(plain) }),
          ...(udp && { udp: address(udp) }),
        };
      },
      stop: () => house.stop(),
    };
  },
  farm(): Simulated {
    const farm = createVirtualFarm();
    return {
      async start() {
        const gateways = Object.entries(await farm.start());
        return Object.fromEntries(gateways.map(([name, each]) => [name, address(each)]));
      },
      stop: () => farm.stop(),
    };
  },
} as const satisfies Record<string, (port: number) => Simulated>;

export type SimDevice = keyof typeof DEVICES;

/** Runs one simulated device in a process of its own, for a hub of yours to be tried on. */
export async function sim(device: SimDevice, flags: SimFlags, world: World): Promise<number> {
  if (flags.port !== undefined && device === "farm")
    throw new SteadingError("USAGE", "The farm has several gateways and takes free ports; leave --port out.");
  const simulated = DEVICES[device](flags.port ?? 0);
  let written: string | undefined;
  try {
    const addresses = await simulated.start();
    const ready = { ...addresses, pid: process.pid };
    world.stdout.write(flags.json ? `${JSON.stringify(ready)}\n` : inWords(device, addresses));
    if (flags.readyFile !== undefined) writeReadyFile((written = flags.readyFile), ready);
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

function address({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}

const WHAT: Readonly<Record<SimDevice, string>> = {
  lamp: "A lamp on its line protocol",
  house: "A heated house on an eBUS",
  farm: "A farm on Modbus",
};

function inWords(device: SimDevice, addresses: Addresses): string {
  const lines = Object.entries(addresses).map(([name, at]) => `  ${name.padEnd(10)} ${at}`);
  return `${WHAT[device]} runs. Stop with Ctrl-C.\n${lines.join("\n")}\n`;
}
