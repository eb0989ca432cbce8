import { createBus, type BusDeps, type Dial, type EbusBus, type ExchangeResult, type Link } from "@steading/ebus";
import {
  createManualClock,
  createReception,
  millis,
  seconds,
  silentLog,
  type ManualClock,
  type Reception,
} from "@steading/kernel";
import { createHouse, type House, type HouseOptions, type Session } from "@steading/sim";

/** A bus and a virtual house in memory, on one clock that stands still until it is moved. */
export interface EbusHouse {
  readonly clock: ManualClock;
  readonly house: House;
  readonly bus: EbusBus;
  readonly reception: Reception;
  /** Every byte the driver wrote to the adapter, per connection. */
  readonly written: number[][];
  /** Runs time until the promise settles. */
  run<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** Runs time until it holds. */
  until(holds: () => boolean, limitMs?: number): Promise<void>;
  /** Listens and chooses an address; the address is 71 on a house without surprises. */
  admitted(): Promise<void>;
  identify(target: number, options?: { readonly timeoutMs?: number }): Promise<ExchangeResult>;
  /** Ends the present connection from the adapter's side. */
  cut(): void;
  /** Bytes from the present adapter that no wire of the house carried. */
  say(bytes: readonly number[]): void;
  stop(): Promise<void>;
}

export async function startEbusHouse({
  port,
  house: houseOptions = {},
  bus: busOptions = {},
  refuse = () => false,
}: {
  readonly port: "enh" | "plain";
  readonly house?: Omit<HouseOptions, "clock">;
  readonly bus?: Partial<Omit<BusDeps, "dial" | "clock" | "log" | "name">>;
  readonly refuse?: () => boolean;
}): Promise<EbusHouse> {
  const clock = createManualClock(Date.UTC(2026, 2, 5, 16, 0, 44));
  const house = createHouse({
    physics: "frozen",
    ...houseOptions,
    clock: { now: () => clock.now(), timer: (ms, fire) => clock.timer(millis(ms), fire) },
  });
  await house.start();
  const written: number[][] = [];
  let cut = (): void => {};
  let say = (_bytes: readonly number[]): void => {};

  const dial: Dial = async () => {
    if (refuse()) throw new Error("connection refused");
    const bytes: number[] = [];
    written.push(bytes);
    let onPiece: ((piece: Uint8Array) => void) | undefined;
    let onEnd: ((cause?: Error) => void) | undefined;
    let open = true;
    const session: Session = house.connect(port, (piece) => open && onPiece?.(Uint8Array.from(piece)));
    const end = (): void => {
      if (!open) return;
      open = false;
      session.close();
      onEnd?.();
    };
    cut = end;
    say = (piece) => onPiece?.(Uint8Array.from(piece));
    const link: Link = {
      write(piece) {
        bytes.push(...piece);
        if (open) session.receive(piece);
      },
      onPiece: (listener) => (onPiece = listener),
      onEnd: (listener) => (onEnd = listener),
      close: end,
    };
    return link;
  };
  const reception = createReception(clock);
  const bus = createBus({
    name: "heating",
    reception,
    latencyMs: 0,
    jitterMs: 0, // a clock that stands still is never late, so the contract's waits can be seen as they are
    warmUp: seconds(2),
    ...busOptions,
    protocol: port === "enh" ? "enhanced" : "plain",
    dial,
    clock,
    log: silentLog,
  });
  bus.start(new AbortController().signal);

  async function until(holds: () => boolean, limitMs = 60_000): Promise<void> {
    for (let passed = 0; !holds(); passed += 5) {
      if (passed > limitMs) throw new Error(`It did not come about within ${limitMs} ms.`);
      await clock.advance(millis(5));
    }
  }
  async function run<T>(promise: Promise<T>, limitMs?: number): Promise<T> {
    let settled = false;
    void promise.catch(() => undefined).finally(() => (settled = true));
    await until(() => settled, limitMs);
    return promise;
  }

  return {
    clock,
    house,
    bus,
    reception,
    written,
    run,
    until,
    admitted: () => until(() => bus.state.sourceState === "admitted"),
    identify: (target, { timeoutMs = 2_000 } = {}) =>
      run(
        bus.read({
          target,
          primary: 7,
          secondary: 4,
          data: new Uint8Array(),

          timeout: millis(timeoutMs),
        }),
      ),
    cut: () => cut(),
    say: (bytes) => say(bytes),
    async stop() {
      const stopped = bus.stop();
      await clock.advance(millis(0));
      await stopped;
      await house.stop();
    },
  };
}
