import type { BusWrite, ExchangeResult } from "@steading/ebus";
import { createRealClock, seconds } from "@steading/kernel";
import { afterEach, expect, test, type TestContext } from "vitest";
import {
  ADAPTERS,
  startSocketPlace,
  type Adapter,
  type SocketOptions,
  type SocketPlace,
} from "../support/ebus-sockets.ts";

// What can befall an adapter or the way to it, over real sockets and lines. Which combinations cannot exist, and why, is
// in the reference of the heating bus.

let place: SocketPlace | undefined;
/** Exchanges of the search for an address, which asks 15 too. */
let before = 0;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

async function open(context: TestContext, adapter: Adapter, options: SocketOptions = {}): Promise<SocketPlace> {
  const opened = await startSocketPlace(adapter, options);
  if (typeof opened === "string") return context.skip(opened);
  place = opened;
  await opened.until(() => opened.bus.state.sourceState === "admitted");
  before = opened.house.exchanges.length;
  return opened;
}

const identify = ({ bus }: SocketPlace, target: number): Promise<ExchangeResult> =>
  bus.read({ target, primary: 7, secondary: 4, data: new Uint8Array(), timeout: seconds(10) });

/** Asks 15, and lets it happen when the first symbol of the question has come back. */
async function askAnd(opened: SocketPlace, befall: () => void): Promise<ExchangeResult> {
  const forget = opened.bus.onSymbol((symbol) => {
    if (symbol !== 0x15) return;
    forget();
    befall();
  });
  return identify(opened, 0x15);
}

/** A question is never sent again by itself, and the next one works. */
async function expectUnharmed(opened: SocketPlace): Promise<void> {
  await opened.until(() => opened.bus.state.ready && opened.bus.state.signal === "ok");
  expect((await identify(opened, 0x26)).outcome).toBe("success");
  const commands = opened.house.exchanges.slice(before).flatMap((exchange) => exchange.commands);
  const asked = commands.filter((command) => command === "71 15 07 04 00");
  expect(asked.length).toBeLessThanOrEqual(1);
}

for (const adapter of ["enh", "ens", "tcp-plain"] as const)
  test(`over ${adapter}: a cut ends the telegram under way, and the link is made again`, async (context) => {
    const opened = await open(context, adapter);
    const result = await askAnd(opened, () => opened.house.knobs.cut());
    expect(result).toMatchObject({ outcome: "timeout", reason: "disconnected", transmissions: 1 });
    await opened.until(() => opened.bus.state.connected);
    await expectUnharmed(opened);
  });

test("over udp-plain: an adapter that forgot us is greeted again, without a new link", async (context) => {
  const opened = await open(context, "udp-plain");
  opened.house.knobs.cut();
  await opened.until(() => opened.house.connections === 1);
  expect((await identify(opened, 0x26)).outcome).toBe("success");
  expect(opened.bus.counters.connects).toBe(1);
});

for (const adapter of ["serial", "enh-serial"] as const)
  test(`over ${adapter}: a line that vanishes ends the telegram under way and is told as not connected`, async (context) => {
    const opened = await open(context, adapter);
    const result = await askAnd(opened, () => void opened.house.stop());
    expect(result).toMatchObject({ outcome: "timeout", reason: "disconnected" });
    expect(opened.bus.state.connected).toBe(false);
  });

for (const adapter of ["serial", "enh-serial"] as const)
  test(`over ${adapter}: a line that vanishes is noticed although nothing is written to it`, async (context) => {
    const opened = await startSocketPlace(adapter, { bus: { readOnly: true } });
    if (typeof opened === "string") return context.skip(opened);
    place = opened;
    await opened.until(() => opened.bus.state.signal === "ok");
    const gone = opened.until(() => !opened.bus.state.connected);
    await opened.house.stop();
    await gone;
  });

for (const adapter of ["enh", "ens", "enh-serial"] as const) {
  test(`over ${adapter}: an adapter that starts over ends the telegram under way, and is greeted again`, async (context) => {
    const opened = await open(context, adapter);
    const clock = createRealClock();
    // A second RESETTED within three seconds of the greeting is an answer to it.
    const from = clock.monotonic() + seconds(3);
    await opened.until(() => clock.monotonic() > from);
    const result = await askAnd(opened, () => opened.house.knobs.resetAdapter());
    expect(result).toMatchObject({ outcome: "timeout", reason: "adapter_reset", transmissions: 1 });
    await expectUnharmed(opened);
  });

  test(`over ${adapter}: half a pair and then silence ends the telegram under way, and the next pair is read`, async (context) => {
    const opened = await open(context, adapter);
    const { faults } = opened.house.knobs;
    const result = await askAnd(opened, () => faults.halfPair.arm({ times: 1, silentMs: 300 }));
    expect(result).toMatchObject({ outcome: "timeout", reason: "no_answer" });
    expect(opened.house.knobs.counts()["halfPair"]).toBe(1);
    await expectUnharmed(opened);
  });
}

for (const adapter of ADAPTERS)
  // @proves ebus.fault.latency
  test(`over ${adapter}: an adapter that takes 60 ms for each symbol is waited for, with the product's own waits`, async (context) => {
    const opened = await open(context, adapter, { bus: { timing: {} } });
    opened.house.knobs.turn({ latencyMs: 60 });
    expect(await identify(opened, 0x15)).toMatchObject({ outcome: "success", transmissions: 1 });
    await expectUnharmed(opened);
  });

for (const adapter of ["enh", "ens", "tcp-plain"] as const)
  test(`over ${adapter}: an adapter that drops every connection is tried again until it takes one`, async (context) => {
    const opened = await open(context, adapter);
    opened.house.knobs.turn({ refuse: true });
    const result = await askAnd(opened, () => opened.house.knobs.cut());
    expect(result).toMatchObject({ outcome: "timeout", reason: "disconnected" });
    const refusedBefore = opened.house.portCounters.refused;
    await opened.until(() => opened.house.portCounters.refused > refusedBefore);
    opened.house.knobs.turn({ refuse: false });
    await opened.until(() => opened.bus.state.signal === "ok");
    await expectUnharmed(opened);
  });

/** Slot `slot` of two on Monday of zone 1's heating program: from that hour on, 21.5 degrees. */
function timerSlot(slot: number, hour: number): BusWrite {
  const at = { target: 0x15, primary: 0xb5, secondary: 0x55 } as const;
  return {
    command: { ...at, data: Uint8Array.of(0xa6, 0, 0, 0, slot, 2, hour, 0, hour + 1, 0, 0xd7, 0x00) },
    readBack: { ...at, data: Uint8Array.of(0xa5, 0, 0, 0, slot) },
    decode: (response) => response[1] ?? null,
    satisfies: (found) => found === hour,
    summary: `Set slot ${slot}`,
    arguments: { slot, hour },
    observer: "test",
    observeWith: {},
  };
}

for (const adapter of ADAPTERS)
  test(`over ${adapter}: a timer slot that is acknowledged and dropped is sent once, and not found when it is read back`, async (context) => {
    const opened = await open(context, adapter);
    const { bus, house } = opened;
    const { signal } = new AbortController();
    const send = ({ command, ...write }: BusWrite) =>
      bus.write({ command, ...write }).effect.drive.send({ firstByte() {} }, signal);
    house.knobs.faults.lostTimerSlot.arm();
    let pairs = 0;
    // The regulator drops a second slot that comes late as well; only one that comes in time can be the fault's doing.
    while (house.knobs.counts()["lostTimerSlot"] === 0) {
      pairs += 1;
      await send(timerSlot(0, 6));
      expect(await send(timerSlot(1, 16))).toBe("00");
    }
    const second = bus.write(timerSlot(1, 16)).observe;
    const found = await second.read(signal);
    expect(second.satisfies(found.value)).toBe(false);
    const first = bus.write(timerSlot(0, 6)).observe;
    expect(first.satisfies((await first.read(signal)).value)).toBe(true);
    const writes = house.exchanges.slice(before).filter(({ commands }) => commands[0]?.includes("B5 55 0C A6"));
    expect(writes.map(({ commands, outcome }) => [commands.length, outcome])).toEqual(
      Array.from({ length: pairs * 2 }, () => [1, "done"]),
    );
  });
