import { createLamp, type Lamp } from "@steading/sim";
import { startHub, type HubProcess } from "./hub-process.ts";
import { writeLampSettings } from "./lamp-settings.ts";
import type { Connection } from "./mcp-clients.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

export interface PlaceOptions {
  readonly access?: "read" | "write";
}

/** A hub in its own process and one lamp in the test's, so that the lamp outlives the hub. */
export interface Place {
  readonly lamp: Lamp;
  readonly data: string;
  readonly config: string;
  /** The one that runs; throws while none does. */
  readonly hub: HubProcess;
  start(): Promise<HubProcess>;
  stop(): Promise<void>;
  /** Where clients connect: over HTTP with the token, or over stdio on the same data directory. */
  connection(over: "http" | "stdio"): Connection;
  /** Ends everything and removes its files. */
  tidy(): Promise<void>;
}

/** The lamp's property in the graph. */
export const HALL_ON = "/lamps/hall/on";

export async function createPlace({ access = "write" }: PlaceOptions = {}): Promise<Place> {
  const folder = await createTemporaryFolder();
  const lamp = createLamp();
  const { host, port } = await lamp.start();
  const data = folder.at("data");
  const config = folder.at("steading.config.yaml");
  await writeLampSettings(config, [{ name: "hall", host, port }], access);
  let running: HubProcess | undefined;

  function hub(): HubProcess {
    if (!running) throw new Error("The hub of this place is not running.");
    return running;
  }

  const place: Place = {
    lamp,
    data,
    config,
    get hub() {
      return hub();
    },
    async start() {
      running = await startHub({ data, config });
      return running;
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    connection(over) {
      // The same tools as over HTTP, so that a test may go either way.
      if (over === "stdio") return { over, args: ["--data", data, "--config", config, "--view", "all"] };
      return { over, mcp: hub().mcp, token: hub().token };
    },
    async tidy() {
      await place.stop();
      await lamp.stop();
      await folder.remove();
    },
  };
  return place;
}
