import { createAdapterDial, createBus, readAdapterAddress, type BusDeps, type EbusBus } from "@steading/ebus";
import { createRealClock, createReception, millis, seconds, silentLog } from "@steading/kernel";
import { createHouse, type House, type HouseOptions } from "@steading/sim";

export const ADAPTERS = ["enh", "ens", "tcp-plain", "udp-plain", "serial", "enh-serial"] as const;
export type Adapter = (typeof ADAPTERS)[number];

export interface SocketPlace {
  readonly house: House;
  readonly bus: EbusBus;
  until(holds: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface SocketOptions {
  readonly house?: HouseOptions;
  readonly bus?: Partial<BusDeps>;
}

/** A house behind a real adapter of that kind, on the machine's clock. A text: why this machine cannot have one. */
export async function startSocketPlace(
  adapter: Adapter,
  { house: houseOptions = {}, bus: busOptions = {} }: SocketOptions = {},
): Promise<SocketPlace | string> {
  // A machine that is busy with other things keeps a byte for longer than any adapter may. What decides here is what
  // comes, not when: silence is told by the SYN that follows it.
  const patient = { echo: seconds(2), answer: seconds(2) } as const;
  const house = createHouse({
    physics: "frozen",
    knobs: { traffic: false },
    timing: { hostTurnMs: 1_000 },
    ...houseOptions,
  });
  const wanted = { pty: adapter === "serial", enhPty: adapter === "enh-serial" };
  const { enh, plain, udp, ...lines } = await house.start({ enh: 0, plain: 0, udp: 0, ...wanted });
  const line = lines.pty ?? lines.enhPty;
  if (line && "unavailable" in line) {
    await house.stop();
    return `needs a pseudo terminal: ${line.unavailable}`;
  }
  const text = {
    enh: `enh://127.0.0.1:${enh?.port}`,
    ens: `ens://127.0.0.1:${enh?.port}`,
    "tcp-plain": `tcp-plain://127.0.0.1:${plain?.port}`,
    "udp-plain": `udp-plain://127.0.0.1:${udp?.port}`,
    serial: `serial://${line?.path}`,
    "enh-serial": `enh://${line?.path}`,
  }[adapter];
  const clock = createRealClock();
  const address = readAdapterAddress(text);
  const bus = createBus({
    name: "heating",
    dial: createAdapterDial({ address, clock }),
    protocol: address.protocol,
    clock,
    reception: createReception(clock),
    log: silentLog,
    warmUp: millis(200),
    timing: patient,
    ...busOptions,
  });
  bus.start(new AbortController().signal);
  const wakers = new Set<() => void>();
  const wake = (): void => wakers.forEach((waker) => waker());
  const forget = [bus.onState(wake), bus.onHeard(wake)];
  return {
    house,
    bus,
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          wakers.delete(look);
          resolve();
        };
        wakers.add(look);
        look();
      }),
    async stop() {
      for (const each of forget) each();
      await bus.stop();
      await house.stop();
    },
  };
}
