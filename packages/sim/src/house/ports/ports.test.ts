import { createSocket } from "node:dgram";
import { once } from "node:events";
import { constants, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { ReadStream } from "node:tty";
import { afterEach, describe, expect, test } from "vitest";
import { createRealHouseClock } from "../clock.ts";
import { createHouse, type House } from "../house.ts";
import { createManualHouseClock, type ManualHouseClock } from "../manual-clock.ts";
import { createBusClient, type BusClient, type ClientResult } from "../testing/bus-client.ts";
import { ALL_TARGETS, scan } from "../testing/scan.ts";
import type { PortAddress } from "./tcp-port.ts";

const EVERY_DEVICE = ["04 NETX3", "08 BAI00", "15 BASV2", "26 VR_71", "35 VR_92", "EC BASV2", "F6 NETX3"];

let house: House | undefined;
const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await house?.stop();
  house = undefined;
});

async function dial(
  { host, port }: PortAddress,
  kind: "enh" | "plain",
): Promise<{ client: BusClient; socket: Socket }> {
  const socket = connect({ host, port, noDelay: true });
  closers.push(() => void socket.destroy());
  await once(socket, "connect");
  const client = createBusClient({ kind, write: (bytes) => socket.write(bytes) });
  socket.on("data", (bytes) => client.feed(bytes));
  socket.on("error", () => {});
  return { client, socket };
}

/** Lets virtual time pass until the answer is there. */
function runUntilSettled(clock: ManualHouseClock) {
  return async (promise: Promise<ClientResult>): Promise<ClientResult> => {
    let result: ClientResult | undefined;
    void promise.then((settled) => (result = settled));
    await clock.run(() => result !== undefined);
    return result as ClientResult; // the run has ended, so it is there
  };
}

describe("a scan of all 228 addresses", () => {
  // @proves ebus.house.offered-as ebus.house.devices
  test.each(["enh", "plain"] as const)(
    "finds every device over %s TCP, amid the traffic of the house",
    async (kind) => {
      const clock = createManualHouseClock();
      house = createHouse({ clock });
      const addresses = await house.start({ [kind]: 0 });
      const { client } = await dial(addresses[kind] as PortAddress, kind);
      expect(ALL_TARGETS).toHaveLength(228);
      expect(await scan(client, ALL_TARGETS, runUntilSettled(clock))).toEqual(EVERY_DEVICE);
      expect(house.exchanges.some(({ origin }) => origin === "BASV2")).toBe(true);
    },
    30_000,
  );

  // @proves ebus.house.offered-as
  test("finds every device over a pseudo terminal", async ({ skip }) => {
    // The bridge is a process of its own and lives in real time; the wire runs twenty times as fast, the host may be slow.
    house = createHouse({
      clock: createRealHouseClock({ speed: 20 }),
      timing: { hostTurnMs: 60_000 },
      knobs: { traffic: false },
    });
    const { pty } = await house.start({ pty: true });
    if (pty === undefined || "unavailable" in pty) return skip(pty?.unavailable);
    const client = await openTerminal(pty.path);
    expect(await scan(client, ALL_TARGETS)).toEqual(EVERY_DEVICE);
    expect(house.exchanges.at(-1)?.origin).toBe("pty-1");
  }, 60_000);
});

async function openTerminal(path: string): Promise<BusClient> {
  const writer = await open(path, constants.O_RDWR | constants.O_NOCTTY);
  const reader = new ReadStream(openSync(path, constants.O_RDONLY | constants.O_NOCTTY));
  const client = createBusClient({ kind: "plain", write: (bytes) => void writer.write(bytes) });
  reader.on("data", (bytes: Buffer) => client.feed(bytes));
  reader.on("error", () => {}); // the terminal is gone with the house
  closers.push(async () => {
    reader.destroy();
    await writer.close();
  });
  return client;
}

test("a machine without pseudo terminals is told so, and the other ports open", async () => {
  house = createHouse({ clock: createManualHouseClock(), python: "no-such-python" });
  const { pty, plain } = await house.start({ pty: true, plain: 0 });
  expect(pty).toMatchObject({ unavailable: expect.stringContaining("no-such-python") });
  expect(plain?.port).toBeGreaterThan(0);
});

describe("UDP", () => {
  async function peer(port: number): Promise<{ client: BusClient; send: (bytes: Uint8Array) => void; seen: number[] }> {
    const socket = createSocket("udp4");
    closers.push(() => void socket.close());
    await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
    const send = (bytes: Uint8Array): void => socket.send(bytes, port, "127.0.0.1");
    const client = createBusClient({ kind: "plain", write: send });
    const seen: number[] = [];
    socket.on("message", (bytes) => {
      seen.push(...bytes);
      client.feed(bytes);
    });
    return { client, send, seen };
  }

  test("whoever sends a datagram hears the bus and can ask", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock, knobs: { traffic: false } });
    const { udp } = await house.start({ udp: 0 });
    const { client, send, seen } = await peer(udp?.port ?? 0);
    send(new Uint8Array());
    await clock.run(() => seen.includes(0xaa));
    const result = await runUntilSettled(clock)(client.ask(0x71, "15 07 04 00"));
    expect(result.outcome).toBe("done");
    expect(house.connections).toBe(1);
  });

  test("whoever stays silent for longer than the lease hears nothing more", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock, knobs: { traffic: false } });
    const { udp } = await house.start({ udp: 0 });
    const { send } = await peer(udp?.port ?? 0);
    send(new Uint8Array());
    await clock.run(() => house?.connections === 1);
    clock.advance(4_900);
    expect(house.connections).toBe(1);
    clock.advance(200);
    expect(house.connections).toBe(0);
  });

  test("a lost datagram is a lost symbol", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock, knobs: { traffic: false } });
    const { udp } = await house.start({ udp: 0 });
    const { send, seen } = await peer(udp?.port ?? 0);
    send(new Uint8Array());
    await clock.run(() => seen.length > 0);
    house.knobs.faults.lostDatagram.arm({ times: 2 });
    const symbols = house.bus.counters.symbols;
    const heard = seen.length;
    await clock.run(() => seen.length >= heard + 3);
    expect(house.bus.counters.symbols - symbols).toBeGreaterThanOrEqual(5);
    expect(house.knobs.counts()).toMatchObject({ lostDatagram: 2 });
  });
});

describe("TCP", () => {
  test("a taken port is an error that names it, and nothing else stays open", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    closers.push(() => void other.close());
    const { port } = other.address() as AddressInfo;
    house = createHouse({ clock: createManualHouseClock() });
    await expect(house.start({ plain: 0, enh: port })).rejects.toThrow(String(port));
    expect(house.connections).toBe(0);
  });

  test("the house can be unplugged and plugged in again, at the same port, with its memory", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock, knobs: { traffic: false } });
    const first = await house.start({ enh: 0 });
    expect(await house.start({ enh: 0 })).toEqual(first);
    await house.stop();
    await house.stop();
    expect(await house.start({ enh: 0 })).toEqual(first);
    const { client } = await dial(first.enh as PortAddress, "enh");
    expect((await runUntilSettled(clock)(client.ask(0x31, "15 07 04 00"))).outcome).toBe("done");
  });

  test("waiting is over when the house is stopped", async () => {
    house = createHouse({ clock: createManualHouseClock() });
    await house.start({ enh: 0 });
    const waiting = house.waitFor(({ exchanges }) => exchanges.length > 1_000);
    await house.stop();
    await expect(waiting).rejects.toThrow("stopped");
  });

  test("cut drops every connection; refuse drops the next ones too", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock });
    const { enh, plain } = await house.start({ enh: 0, plain: 0 });
    const { socket: one } = await dial(enh as PortAddress, "enh");
    const { socket: other } = await dial(plain as PortAddress, "plain");
    await house.waitFor(({ connections }) => connections === 2);
    house.knobs.turn({ refuse: true });
    house.knobs.cut();
    await Promise.all([once(one, "close"), once(other, "close")]);
    await house.waitFor(({ connections }) => connections === 0);
    const { socket: third } = await dial(enh as PortAddress, "enh");
    await once(third, "close");
    expect(house.portCounters.refused).toBe(1);
    house.knobs.turn({ refuse: false });
    const { client } = await dial(enh as PortAddress, "enh");
    expect((await runUntilSettled(clock)(client.ask(0x71, "08 07 04 00"))).outcome).toBe("done");
    expect(house.knobs.counts()).toMatchObject({ cut: 1 });
  });

  test("bytes that dribble in one by one make the same telegrams", async () => {
    const clock = createManualHouseClock();
    house = createHouse({ clock, knobs: { dribble: true, traffic: false } });
    const { enh } = await house.start({ enh: 0 });
    const { client } = await dial(enh as PortAddress, "enh");
    expect((await runUntilSettled(clock)(client.ask(0x71, "08 07 04 00"))).outcome).toBe("done");
  });
});

test("on the machine's own clock the wire runs at its own pace and answers", async () => {
  house = createHouse({ knobs: { traffic: false }, timing: { hostTurnMs: 5_000 } }); // this machine may be busy

  const { enh } = await house.start({ enh: 0 });
  const { client } = await dial(enh as PortAddress, "enh");
  const { outcome } = await client.ask(0x71, "15 07 04 00");
  expect(outcome).toBe("done");
  await house.waitFor(({ exchanges }) => exchanges.length === 1);
  expect(house.exchanges[0]).toMatchObject({ origin: "enh-1", outcome: "done" });
});
