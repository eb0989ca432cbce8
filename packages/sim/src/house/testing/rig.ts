import { createHouse, type House, type HouseOptions } from "../house.ts";
import { createManualHouseClock, type ManualHouseClock } from "../manual-clock.ts";
import { createBusClient, type BusClient, type ClientResult } from "./bus-client.ts";

/** A house on a manual clock, with one host at a port that needs no socket. */
export interface Rig {
  readonly house: House;
  readonly clock: ManualHouseClock;
  readonly client: BusClient;
  /** Bytes straight to the port. */
  write(bytes: readonly number[]): void;
  /** Bytes straight from the port. */
  readonly raw: readonly number[];
  ask(telegram: string, source?: number): Promise<ClientResult>;
  /** The response as spaced hex, NN first; fails when there was none. */
  answer(telegram: string, source?: number): Promise<string>;
  close(): Promise<void>;
}

const DEFAULT_SOURCE = 0x71;

/** Quiet and frozen unless told otherwise: the house then answers exactly what was captured. */
export async function createRig({
  port = "enh",
  ...options
}: HouseOptions & { readonly port?: "enh" | "plain" } = {}): Promise<Rig> {
  const clock = createManualHouseClock();
  const house = createHouse({
    clock,
    physics: "frozen",
    ...options,
    knobs: { traffic: false, ...options.knobs },
  });
  const raw: number[] = [];
  const session = house.connect(port, (bytes) => {
    raw.push(...bytes);
    client.feed(bytes);
  });
  const client: BusClient = createBusClient({ kind: port, write: (bytes) => session.receive(bytes) });
  await house.start();

  async function ask(telegram: string, source = DEFAULT_SOURCE): Promise<ClientResult> {
    let result: ClientResult | undefined;
    client.ask(source, telegram).then(
      (settled) => (result = settled),
      () => {},
    );
    await clock.run(() => result !== undefined, { stepMs: 5, limitMs: 10_000 });
    return result as ClientResult; // the run has ended, so it is there
  }

  return {
    house,
    clock,
    client,
    write: (bytes) => session.receive(bytes),
    raw,
    ask,
    async answer(telegram, source) {
      const { outcome, data } = await ask(telegram, source);
      if (outcome !== "done") throw new Error(`${telegram} ended as ${outcome}.`);
      return [data.length, ...data].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
    },
    async close() {
      session.close();
      await house.stop();
    },
  };
}
