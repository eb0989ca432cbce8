import { getEventListeners } from "node:events";
import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createMemoryDial, type FarEnd } from "../testing/memory-wire.ts";
import { createBus, type AskOptions } from "./bus.ts";
import { withCrc } from "./crc16.ts";
import { openWire } from "./connection.ts";
import { createLine } from "./line.ts";
import { createMbapFraming } from "./mbap-framing.ts";
import type { ModbusRequest } from "./modbus-request.ts";
import { createRtuFraming } from "./rtu-framing.ts";

/** A TCP gateway whose unit 9 is dead; the others echo writes and answer reads with zeros. */
function gateway({ exceptions = [] }: { exceptions?: number[] } = {}) {
  const clock = createManualClock();
  const asked: string[] = [];
  const net = createMemoryDial({
    onWrite(bytes, far) {
      const [unit = 0, fc = 0] = bytes.subarray(6);
      asked.push(`${unit}/${fc}`);
      if (unit === 9) return;
      const exception = exceptions.shift();
      if (exception !== undefined) return answer(far, bytes, Buffer.of(unit, fc | 0x80, exception));
      if (fc >= 5) return answer(far, bytes, bytes.subarray(6, 12));
      const count = fc <= 2 ? Math.ceil(bytes.readUInt16BE(10) / 8) : bytes.readUInt16BE(10) * 2;
      answer(far, bytes, Buffer.concat([Buffer.of(unit, fc, count), Buffer.alloc(count)]));
    },
  });
  const line = createLine({
    name: "shed",
    open: openWire({ dial: net.dial, framing: createMbapFraming, clock }),
    anonymousFrames: false,
    clock,
  });
  return { clock, asked, net, line, bus: createBus({ line, clock }) };
}

function answer(far: FarEnd, request: Buffer, body: Buffer): void {
  far.send(Buffer.concat([request.subarray(0, 4), Buffer.of(0, body.length), body]));
}

const read = (unit: number): ModbusRequest => ({ kind: "read", unit, fc: 4, address: 0, quantity: 1 });
const off = (unit: number): ModbusRequest => ({ kind: "write-coil", unit, address: 0, on: false });
const poll: AskOptions = { priority: "poll" };

// @proves farm.schedule.priority farm.schedule.poll-delay farm.schedule.call-delay farm.schedule.retries
test("a command overtakes waiting polls, a safety OFF overtakes commands, and a dead unit costs them one time-out", async () => {
  const { clock, asked, bus } = gateway();
  const dead = expect(bus.ask(read(9), poll)).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  const polls = [bus.ask(read(1), poll), bus.ask(read(2), poll)];
  const command = bus.ask(off(3), { priority: "command" });
  const safety = bus.ask(off(4), { priority: "safety" });

  await clock.advance(millis(999));
  expect(asked).toEqual(["9/4"]);
  await clock.advance(millis(1));
  await Promise.all([safety, command]);
  await clock.advance(millis(0));
  expect(asked.slice(0, 4)).toEqual(["9/4", "4/5", "3/5", "9/4"]); // the second try of the dead one comes after them
  await clock.advance(millis(400));
  await Promise.all([dead, ...polls]);
  expect(asked).toEqual(["9/4", "4/5", "3/5", "9/4", "1/4", "2/4"]);
  expect(bus.counters()).toMatchObject({ retries: 1, timeouts: 2, waiting: 0 });
  expect(clock.pending).toBe(0);
});

// @proves farm.schedule.timeout
test("a request times out after one second, or as set from 200 to 5000 ms", async () => {
  const { clock, bus, line } = gateway();
  let ended = false;
  const asked = expect(bus.ask(read(9), { ...poll, retries: 0 }).finally(() => (ended = true))).rejects.toThrow();
  await clock.advance(millis(999));
  expect(ended).toBe(false);
  await clock.advance(millis(1));
  await asked;
  for (const timeout of [199, 5_001, Number.NaN]) {
    expect(() => createBus({ line, clock, timeout: millis(timeout) })).toThrow(/time-out/);
  }
  createBus({ line, clock, timeout: millis(200) });
  createBus({ line, clock, timeout: millis(5_000) });
});

test("a unit that was silent is waited for four times as long as it ever needed, 200 ms at least", async () => {
  const clock = createManualClock();
  let answerAfter = 70;
  const net = createMemoryDial({
    onWrite(bytes, far) {
      clock.timer(millis(answerAfter), () => answer(far, bytes, Buffer.of(1, 4, 2, 0, 0)));
    },
  });
  const line = createLine({
    name: "shed",
    open: openWire({ dial: net.dial, framing: createMbapFraming, clock }),
    anonymousFrames: false,
    clock,
  });
  const bus = createBus({ line, clock });
  const timesOutAfter = async (options: AskOptions): Promise<number> => {
    const began = clock.monotonic();
    let ended = -1;
    const asked = bus.ask(read(1), { ...options, retries: 0 }).then(
      () => (ended = 0),
      () => (ended = clock.monotonic() - began),
    );
    await clock.advance(seconds(1));
    await asked;
    return ended;
  };
  const first = bus.ask(read(1), poll);
  await clock.advance(millis(70));
  await first;
  answerAfter = 5_000;
  expect(await timesOutAfter(poll)).toBe(1_000);
  expect(await timesOutAfter({ ...poll, probe: true })).toBe(280);
  await clock.advance(seconds(5));
});

// @proves farm.schedule.retries
test("a write that is not answered is sent once", async () => {
  const { clock, asked, bus } = gateway();
  const lost = expect(bus.ask(off(9), { priority: "command" })).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  await clock.advance(seconds(5));
  await lost;
  expect(asked).toEqual(["9/5"]);
});

// @proves farm.function.exception-busy
test("a busy device is asked again after 200 ms, three times in all; other exceptions are final", async () => {
  const patient = gateway({ exceptions: [6, 5] });
  const asked = patient.bus.ask(read(1), poll);
  await patient.clock.advance(millis(199));
  expect(patient.asked).toHaveLength(1);
  await patient.clock.advance(millis(201));
  expect(await asked).toEqual({ kind: "words", words: [0] });

  const stubborn = gateway({ exceptions: [6, 6, 6, 6] });
  const refused = expect(stubborn.bus.ask(read(1), poll)).rejects.toMatchObject({ details: { exception: 6 } });
  await stubborn.clock.advance(seconds(1));
  await refused;
  expect(stubborn.asked).toHaveLength(3);

  const final = gateway({ exceptions: [2] });
  await expect(final.bus.ask(read(1), poll)).rejects.toMatchObject({ details: { exception: 2 } });
  expect(final.asked).toHaveLength(1);
});

// @proves farm.framing.rtu-bad-crc farm.framing.rtu-one-in-flight
test("on RTU a damaged answer is asked for again, one request at a time", async () => {
  const clock = createManualClock();
  const good = withCrc(Uint8Array.of(1, 4, 2, 0, 7));
  const net = createMemoryDial();
  const line = createLine({
    name: "shed",
    open: openWire({ dial: net.dial, framing: createRtuFraming, clock }),
    anonymousFrames: true,
    clock,
  });
  const bus = createBus({ line, clock });
  const both = [bus.ask(read(1), poll), bus.ask(read(1), poll)];
  await clock.advance(millis(1));
  expect(net.ends[0]?.received).toHaveLength(1);
  net.ends[0]?.send(Uint8Array.of(1, 4, 2, 0, 7, 0, 0));
  await clock.advance(millis(50));
  expect(net.ends[0]?.received).toHaveLength(2);
  net.ends[0]?.send(good);
  await clock.advance(millis(1));
  net.ends[0]?.send(good);
  expect(await Promise.all(both)).toEqual([
    { kind: "words", words: [7] },
    { kind: "words", words: [7] },
  ]);
});

test("a request that is given up before its turn costs no byte", async () => {
  const { clock, asked, bus } = gateway();
  const dead = expect(bus.ask(read(9), { ...poll, retries: 0 })).rejects.toThrow();
  const stop = new AbortController();
  const given = expect(bus.ask(off(1), { priority: "command", signal: stop.signal })).rejects.toMatchObject({
    code: "CANCELLED",
  });
  stop.abort();
  await given;
  await clock.advance(seconds(1));
  await dead;
  expect(asked).toEqual(["9/4"]);
});

test("nothing listens on a signal any longer than its request lasts", async () => {
  const { bus } = gateway();
  const { signal } = new AbortController();
  for (let i = 0; i < 20; i += 1) await bus.ask(read(1), { ...poll, signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a queue that is full refuses, and a closed bus lets go of what waits", async () => {
  const { clock, bus } = gateway();
  const outcomes = Array.from({ length: 515 }, () => bus.ask(read(9), poll).then(String, (error: unknown) => error));
  expect(await outcomes[514]).toMatchObject({ code: "BUS_BUSY" });
  bus.close();
  expect(await outcomes[100]).toMatchObject({ code: "GATEWAY_DOWN" });
  await clock.advance(seconds(1));
  await expect(bus.ask(read(1), poll)).rejects.toMatchObject({ code: "GATEWAY_DOWN" });
});
