import {
  createAdapterDial,
  createEbusPart,
  readAdapterAddress,
  type BusWrite,
  type Dial,
  type EbusBus,
} from "@steading/ebus";
import { createRealClock, createReception, millis, seconds, silentLog } from "@steading/kernel";
import { createHouse } from "@steading/sim";
import { afterEach, expect, test } from "vitest";
import { startEbusHouse, type EbusHouse } from "../support/ebus-house.ts";

// Whoever may no longer speak stays silent from that symbol on, whatever was waiting for the bus.

let place: EbusHouse | undefined;
const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  await place?.stop();
  place = undefined;
  for (const end of ending.splice(0).toReversed()) await end();
});

const QUIET = { knobs: { traffic: false } } as const;
const PORTS = ["enh", "plain"] as const;
/** An inquiry of existence, from the address that is ours. */
const STRANGER = [0x71, 0xfe, 0x07, 0xfe, 0x00, 0xa7];
/** Longer than an adapter is left alone: how it is, is asked every half minute. */
const LEFT_ALONE = seconds(40);
const NOT_ACTIVE = { code: "INVALID_ARGUMENT", message: "source selection not active" };
const ENHANCED_PORT = Array.from({ length: 8 }, () => [0xc6, 0xaa]).flat();
const PLAIN_PORT = Array.from({ length: 8 }, () => 0xaa);

/** Three questions and a write, all at once: one asks for the bus, the others wait behind it. */
function wishes(bus: EbusBus): Promise<PromiseSettledResult<unknown>[]> {
  const slot: BusWrite = {
    command: {
      target: 0x15,
      primary: 0xb5,
      secondary: 0x55,
      data: Uint8Array.of(0xa6, 0, 0, 0, 0, 1, 6, 0, 7, 0, 215, 0),
    },
    readBack: { target: 0x15, primary: 0xb5, secondary: 0x55, data: Uint8Array.of(0xa5, 0, 0, 0, 0) },
    decode: () => null,
    satisfies: () => false,
    summary: "Set a slot",
    arguments: {},
    observer: "test",
    observeWith: {},
  };
  const { signal } = new AbortController();
  return Promise.allSettled([
    ...[0x08, 0x15, 0x26].map((target) => bus.read({ target, primary: 7, secondary: 4, data: new Uint8Array() })),
    bus.write(slot).effect.drive.send({ firstByte: () => expect.unreachable("nothing may leave") }, signal),
  ]);
}

/** What reached the adapter for the bus: everything on a plain port, START with an address and SEND on an enhanced one. */
function forTheBus(port: "enh" | "plain", bytes: readonly number[]): readonly number[] {
  if (port === "plain") return bytes;
  return bytes.filter((byte, at) => {
    const [command, data] = [(byte >> 2) & 0x0f, ((byte & 3) << 6) | ((bytes[at + 1] ?? 0) & 0x3f)];
    const short = byte < 0x80;
    return short || (byte >= 0xc0 && (command === 1 || (command === 2 && data !== 0xaa)));
  });
}

async function expectAllRefused(opened: EbusHouse, wished: ReturnType<typeof wishes>): Promise<void> {
  for (const each of await opened.run(wished, 100))
    expect(each).toMatchObject({ status: "rejected", reason: NOT_ACTIVE });
}

test.each(PORTS)("over %s: a stranger with our address takes the bus from all that wait for it", async (port) => {
  place = await startEbusHouse({ port, house: QUIET });
  const { bus, house, written, clock } = place;
  await place.admitted();
  for (let symbols = 1; symbols <= STRANGER.length; symbols += 1) {
    await place.until(() => bus.state.sourceState === "admitted");
    const source = bus.state.source ?? 0;
    const before = bus.counters.symbols;
    const telegram = [source, ...STRANGER.slice(1, -1)];
    house.knobs.inject([...telegram, crcOf(telegram)]);
    await place.until(() => bus.counters.symbols >= before + symbols);
    if (bus.state.sourceState !== "admitted") continue; // a SYN was among the symbols
    const wished = wishes(bus);
    await place.until(() => bus.state.sourceState !== "admitted");
    const sent = written.flat().length;
    await expectAllRefused(place, wished);
    await clock.advance(millis(1_500));
    expect(bus.state.sourceState).toBe("listening");
    expect(forTheBus(port, written.flat().slice(sent))).toEqual([]);
  }
  await place.admitted();
  expect((await place.identify(0x15)).outcome).toBe("success");
});

test.each(PORTS)("over %s: a damaged telegram takes nobody's address away", async (port) => {
  place = await startEbusHouse({ port, house: QUIET });
  const { bus, house, clock } = place;
  await place.admitted();
  const source = bus.state.source ?? 0;
  const telegram = [source, ...STRANGER.slice(1, -1)];
  const broken = bus.counters.telegrams;
  for (let times = 0; times < 5; times += 1) {
    house.knobs.inject([...telegram, crcOf(telegram) ^ 0x01]);
    await clock.advance(millis(500));
    expect(bus.state).toMatchObject({ sourceState: "admitted", source });
  }
  expect(bus.counters.telegrams).toBe(broken);
  house.knobs.inject([...telegram, crcOf(telegram)]);
  await place.until(() => bus.state.sourceState !== "admitted"); // the same, whole, does
});

test.each(PORTS)("over %s: an adapter that turns out to speak another protocol gets no further byte", async (port) => {
  place = await startEbusHouse({ port, house: QUIET });
  const { bus, written, clock } = place;
  await place.admitted();
  await clock.advance(seconds(1));
  const wished = wishes(bus);
  const sent = written.flat().length;
  place.say(port === "enh" ? PLAIN_PORT : ENHANCED_PORT);
  expect(bus.state).toMatchObject({ sourceState: "listening", misconfigured: expect.any(String) });
  await expectAllRefused(place, wished);
  await clock.advance(LEFT_ALONE);
  expect(written.flat().slice(sent)).toEqual([]); // whatever was written to a plain port would be on the bus
});

test("an adapter that turns out to be a plain one ends the telegram under way, and gets no further byte", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  const { bus, written, clock } = place;
  await place.admitted();
  let asked = 0;
  bus.onSymbol((symbol) => (asked += symbol === 0x15 ? 1 : 0));
  const reading = bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() });
  await place.until(() => asked > 0);
  const sent = written.flat().length;
  place.say(PLAIN_PORT);
  expect(await place.run(reading, 100)).toMatchObject({ outcome: "timeout", reason: "withdrawn", transmissions: 1 });
  await clock.advance(LEFT_ALONE);
  expect(written.flat().slice(sent)).toEqual([]); // not even a question about the adapter itself
});

test("an adapter that turns out to be a plain one ends the search for an address", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  const { bus, written, clock } = place;
  await place.until(() => bus.state.sourceState === "probing");
  place.say(PLAIN_PORT);
  const sent = written.flat().length;
  await clock.advance(LEFT_ALONE);
  expect(bus.state.sourceState).toBe("listening");
  expect(written.flat().slice(sent)).toEqual([]);
});

test.each([
  ["enh", "enh"],
  ["plain", "tcp-plain"],
] as const)(
  "over a %s socket: the part outlives every stranger and goes on with another address",
  async (port, scheme) => {
    const house = createHouse({ physics: "frozen", knobs: { traffic: false }, timing: { hostTurnMs: 1_000 } });
    ending.push(() => house.stop());
    const addresses = await house.start({ enh: 0, plain: 0 });
    const adapter = `${scheme}://127.0.0.1:${addresses[port]?.port}`;
    const clock = createRealClock();
    const early: number[] = [];
    const dialled = createAdapterDial({ address: readAdapterAddress(adapter), clock });
    const dial: Dial = async (signal) => {
      const link = await dialled(signal);
      return {
        ...link,
        write(bytes) {
          if (!["admitted", "probing"].includes(part.bus.state.sourceState)) early.push(...forTheBus(port, [...bytes]));
          link.write(bytes);
        },
      };
    };
    const wakers = new Set<() => void>();
    const wake = (): void => wakers.forEach((waker) => waker());
    const part = createEbusPart({
      adapter,
      dial,
      clock,
      log: silentLog,
      reception: createReception(clock),
      view: { bus: wake, device: wake },
      warmUp: millis(200),
      scan: "all",
    });
    ending.push(() => part.stop());
    await part.start(new AbortController().signal);
    const until = (holds: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          wakers.delete(look);
          resolve();
        };
        wakers.add(look);
        look();
      });

    for (let taken = 0; taken < 4; taken += 1) {
      await until(() => part.bus.state.sourceState === "admitted");
      const telegram = [part.bus.state.source ?? 0, ...STRANGER.slice(1, -1)];
      // A telegram of ours may spoil it on the wire, so it is said until it was understood.
      const said = setInterval(() => house.knobs.inject([...telegram, crcOf(telegram), 0xaa]), 50);
      await until(() => part.bus.state.sourceState === "listening");
      clearInterval(said);
    }
    await until(() => part.bus.state.sourceState === "admitted");
    await until(() => part.devices.length > 0);
    const asked = { target: 0x15, primary: 7, secondary: 4, data: new Uint8Array(), timeout: seconds(10) };
    expect((await part.bus.read(asked)).outcome).toBe("success");
    expect(part.bus.counters.connects).toBe(1);
    expect(early).toEqual([]);
  },
);

/** CRC-8 of the contract, byte by byte; nothing here needs an escape. */
function crcOf(bytes: readonly number[]): number {
  let crc = 0;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x9b) & 0xff : crc << 1;
    crc ^= byte;
  }
  return crc;
}
