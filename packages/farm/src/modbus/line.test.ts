import { createManualClock, createRealClock, millis, seconds, SteadingError } from "@steading/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startForeignServer, type ForeignServer } from "../testing/foreign-server.ts";
import { createMemoryDial, type FarEnd } from "../testing/memory-wire.ts";
import { bytesOf } from "../testing/modbus-vectors.ts";
import { withCrc } from "./crc16.ts";
import { openWire } from "./connection.ts";
import { createLine } from "./line.ts";
import { createMbapFraming } from "./mbap-framing.ts";
import { isRefusal } from "./modbus-exception.ts";
import type { ModbusRequest } from "./modbus-request.ts";
import { createRtuFraming } from "./rtu-framing.ts";
import { createTcpDial } from "./tcp-dial.ts";

const INPUTS: ModbusRequest = { kind: "read", unit: 1, fc: 4, address: 1, quantity: 2 };
const timeout = seconds(1);

function memoryLine(framing: "tcp" | "rtu", onWrite?: (bytes: Buffer, far: FarEnd) => void) {
  const clock = createManualClock();
  const net = createMemoryDial(onWrite ? { onWrite } : {});
  const line = createLine({
    name: "board",
    open: openWire({ dial: net.dial, framing: framing === "tcp" ? createMbapFraming : createRtuFraming, clock }),
    anonymousFrames: framing === "rtu",
    clock,
  });
  return { clock, net, line };
}

/** The answer to a read of two registers, in the transaction of the request. */
function mbapReply(request: Buffer, words: string, unit = 1, functionCode = 4): Buffer {
  const body = Buffer.concat([Buffer.of(unit, functionCode, 4), bytesOf(words)]);
  return Buffer.concat([request.subarray(0, 4), Buffer.of(0, body.length), body]);
}

describe("against somebody else's server", () => {
  let server: ForeignServer;
  beforeAll(async () => (server = await startForeignServer()));
  afterAll(() => server.close());

  test("coils, registers and their read-back go over a real socket", async () => {
    const dial = createTcpDial({ host: "127.0.0.1", port: server.port });
    const line = createLine({
      name: "real",
      open: openWire({ dial, framing: createMbapFraming, clock: createRealClock() }),
      anonymousFrames: false,
      clock: createRealClock(),
    });
    const ask = (request: ModbusRequest) => line.exchange(request, { timeout: seconds(5) });

    await ask({ kind: "write-coil", unit: 1, address: 3, on: true });
    expect(server.coils[0]).toBe(0b1000);
    expect(await ask({ kind: "read", unit: 1, fc: 1, address: 0, quantity: 5 })).toEqual({
      kind: "bits",
      bits: [false, false, false, true, false],
    });
    await ask({ kind: "write-registers", unit: 1, address: 2, values: [0x41cc, 7] });
    expect(server.holding.readUInt16BE(4)).toBe(0x41cc);
    expect(await ask({ kind: "read", unit: 1, fc: 3, address: 2, quantity: 2 })).toEqual({
      kind: "words",
      words: [0x41cc, 7],
    });
    await ask({ kind: "write-coils", unit: 1, address: 8, states: [true, true, false] });
    expect(server.coils[1]).toBe(0b011);
    await ask({ kind: "write-register", unit: 1, address: 9, value: 65_535 });
    expect(server.holding.readUInt16BE(18)).toBe(65_535);
    server.input.writeUInt16BE(276, 2);
    expect(await ask({ kind: "read", unit: 1, fc: 4, address: 1, quantity: 1 })).toEqual({
      kind: "words",
      words: [276],
    });
    // @proves farm.schedule.one-socket
    await ask({ kind: "read", unit: 7, fc: 1, address: 0, quantity: 1 });
    expect(server.connections).toBe(1);
    line.disconnect();
  });
});

// @proves farm.framing.match farm.framing.late-dropped
test("over TCP a late answer, another unit's and another function's are dropped, and the right one still counts", async () => {
  const requests: Buffer[] = [];
  const { clock, net, line } = memoryLine("tcp", (bytes) => requests.push(bytes));
  const first = expect(line.exchange(INPUTS, { timeout })).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  await clock.advance(timeout);
  await first;

  const second = line.exchange(INPUTS, { timeout });
  await clock.advance(millis(1));
  const [old, current] = requests;
  if (!old || !current) throw new Error("Two requests were expected.");
  net.ends[0]?.send(
    mbapReply(old, "11 11 11 11"),
    mbapReply(current, "22 22 22 22", 2),
    mbapReply(current, "33 33 33 33", 1, 3),
    mbapReply(current, "01 14 02 46"),
  );
  expect(await second).toEqual({ kind: "words", words: [276, 582] });
  expect(line.counters()).toMatchObject({ foreign: 3, timeouts: 1, connects: 1 });
  expect(clock.pending).toBe(0);
});

// @proves farm.framing.two-in-one
test("two frames in one segment are two frames", async () => {
  const { line, clock } = memoryLine("tcp", (bytes, far) =>
    far.send(Buffer.concat([mbapReply(bytes, "22 22 22 22", 2), mbapReply(bytes, "01 14 02 46")])),
  );
  expect(await line.exchange(INPUTS, { timeout })).toEqual({ kind: "words", words: [276, 582] });
  expect(clock.pending).toBe(0);
});

test("a TCP stream that makes no sense ends the connection; the next is tried at once, later ones when they are due", async () => {
  let broken = true;
  const { clock, line, net } = memoryLine("tcp", (bytes, far) => {
    if (broken) return far.send(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"));
    far.send(mbapReply(bytes, "01 14 02 46"));
  });
  const ask = () => line.exchange(INPUTS, { timeout });
  for (const connections of [1, 2, 2, 2]) {
    await expect(ask()).rejects.toMatchObject({ code: "GATEWAY_DOWN" });
    expect(net.ends).toHaveLength(connections);
  }
  broken = false;
  await clock.advance(seconds(3));
  expect(await ask()).toEqual({ kind: "words", words: [276, 582] });
});

describe.each(["tcp", "rtu"] as const)("a gateway that floods over %s", (framing) => {
  const frame = framing === "tcp" ? bytesOf("00 07 00 00 00 03 09 84 02") : bytesOf("01 03 F0");
  const flood = Buffer.concat(Array.from({ length: 2_000 }, () => frame));
  const reply = (bytes: Buffer) =>
    framing === "tcp" ? mbapReply(bytes, "01 14 02 46") : withCrc(bytesOf("01 04 04 01 14 02 46"));

  test("is cut off, and left alone for longer and longer", async () => {
    const { clock, line, net } = memoryLine(framing, (_bytes, far) => {
      for (let i = 0; i < 100; i += 1) far.send(flood);
    });
    for (const connections of [1, 2, 2]) {
      await expect(line.exchange(INPUTS, { timeout })).rejects.toMatchObject({ code: "GATEWAY_DOWN" });
      expect(net.ends).toHaveLength(connections);
      expect(line.connected()).toBe(false);
    }
    expect(line.counters().garbled).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test("is cut off while nobody asks, which costs the next request nothing", async () => {
    const { clock, line, net } = memoryLine(framing, (bytes, far) => far.send(reply(bytes)));
    await line.exchange(INPUTS, { timeout });
    for (let i = 0; i < 3; i += 1) net.ends[0]?.send(flood.subarray(0, 6_000));
    await clock.advance(millis(1));
    expect(line.connected()).toBe(false);
    expect(await line.exchange(INPUTS, { timeout })).toEqual({ kind: "words", words: [276, 582] });
    expect(net.ends).toHaveLength(2);
  });

  test("is understood as long as it is not too much", async () => {
    const { line } = memoryLine(framing, (bytes, far) => {
      const noise = flood.subarray(0, 3_600);
      for (const byte of Buffer.concat([noise, reply(bytes)])) far.send(Buffer.of(byte));
    });
    expect(await line.exchange(INPUTS, { timeout })).toEqual({ kind: "words", words: [276, 582] });
    expect(line.connected()).toBe(true);
  });
});

test("a connection that the gateway closed while it was idle costs the next request nothing but a fresh one", async () => {
  const { clock, line, net } = memoryLine("tcp", (bytes, far) => far.send(mbapReply(bytes, "01 14 02 46")));
  await line.exchange(INPUTS, { timeout });
  net.ends[0]?.hangUp();
  await clock.advance(millis(1));
  expect(await line.exchange(INPUTS, { timeout })).toEqual({ kind: "words", words: [276, 582] });
  expect(net.ends).toHaveLength(2);
});

// @proves farm.framing.late-dropped
test("over RTU a unit that owes an answer is asked again on a fresh connection, its neighbours on the old one", async () => {
  const { clock, net, line } = memoryLine("rtu");
  const silent = expect(line.exchange(INPUTS, { timeout })).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  await clock.advance(timeout);
  await silent;

  const neighbour = line.exchange({ ...INPUTS, unit: 2, address: 0 }, { timeout });
  await clock.advance(millis(1));
  net.ends[0]?.send(bytesOf("01 04 04 11 11 11 11 67 D8"), withCrc(bytesOf("01 04 04 11 11 11 11")));
  net.ends[0]?.send(bytesOf("02 04 04 FF CE 02 65 58 24"));
  expect(await neighbour).toEqual({ kind: "words", words: [0xffce, 613] });
  expect(net.ends).toHaveLength(1);

  const again = line.exchange(INPUTS, { timeout });
  await clock.advance(millis(1));
  net.ends[0]?.send(withCrc(bytesOf("01 04 04 11 11 11 11"))); // the late answer has nowhere to arrive
  net.ends[1]?.send(bytesOf("01 04 04 01 14 02 46 3A EE"));
  expect(await again).toEqual({ kind: "words", words: [276, 582] });
});

test("over RTU bytes that nobody asked for are forgotten before the next request", async () => {
  const { clock, net, line } = memoryLine("rtu");
  const first = line.exchange(INPUTS, { timeout });
  await clock.advance(millis(1));
  net.ends[0]?.send(bytesOf("01 04 04 01 14 02 46 3A EE"), withCrc(bytesOf("01 04 04 99 99 99 99")));
  await first;
  const second = line.exchange(INPUTS, { timeout });
  await clock.advance(millis(1));
  net.ends[0]?.send(bytesOf("01 04 04 01 14 02 46 3A EE"));
  expect(await second).toEqual({ kind: "words", words: [276, 582] });
});

// @proves farm.framing.rtu-bad-crc
test("a damaged answer is counted, and the line rests 50 ms before anybody is told", async () => {
  const { clock, net, line } = memoryLine("rtu");
  let told = false;
  const asked = line.exchange(INPUTS, { timeout }).catch((error: unknown) => {
    told = true;
    throw error;
  });
  const failed = expect(asked).rejects.toMatchObject({ code: "DEVICE_GARBLED", retryable: true });
  await clock.advance(millis(1));
  net.ends[0]?.send(bytesOf("01 04 04 01 14 02 47 3A EE"));
  await clock.advance(millis(49));
  expect(told).toBe(false);
  await clock.advance(millis(1));
  await failed;
  expect(line.counters().garbled).toBe(1);
});

// @proves farm.schedule.reconnect
test("an outage is tried again after one second, doubling to thirty, for ever; a command tries at once", async () => {
  const clock = createManualClock();
  const net = createMemoryDial();
  net.refuse = true;
  let dials = 0;
  const line = createLine({
    name: "board",
    open: openWire({
      dial: (signal) => {
        dials += 1;
        return net.dial(signal);
      },
      framing: createMbapFraming,
      clock,
    }),
    anonymousFrames: false,
    clock,
  });
  const times: number[] = [];
  for (let second = 0; second < 200; second += 1) {
    const before = dials;
    await expect(line.exchange(INPUTS, { timeout })).rejects.toMatchObject({ code: "GATEWAY_DOWN" });
    if (dials > before) times.push(second);
    await clock.advance(seconds(1));
  }
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(gaps[0]).toBeLessThanOrEqual(2);
  expect(Math.max(...gaps)).toBeGreaterThan(20);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(34);

  const before = dials;
  await expect(line.exchange(INPUTS, { timeout, urgent: true })).rejects.toMatchObject({ code: "GATEWAY_DOWN" });
  expect(dials).toBe(before + 1);
});

// @proves farm.function.broadcast
test("a broadcast leaves and waits for nobody, and unit 0 cannot be read", async () => {
  const { line, net } = memoryLine("rtu");
  expect(await line.exchange({ kind: "write-coil", unit: 0, address: 0, on: false }, { timeout })).toEqual({
    kind: "written",
  });
  expect(net.ends[0]?.received[0]).toEqual(withCrc(bytesOf("00 05 00 00 00 00")));
  await expect(line.exchange({ ...INPUTS, unit: 0 }, { timeout })).rejects.toMatchObject({ code: "BAD_INPUT" });
});

// @proves farm.function.exception-gateway
test.each([0x0a, 0x0b])("exception %i says that the unit is silent, not that the gateway is down", async (code) => {
  const { line } = memoryLine("tcp", (bytes, far) =>
    far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, 3, 1, 0x84, code)])),
  );
  await expect(line.exchange(INPUTS, { timeout })).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  expect(line.connected()).toBe(true);
});

// @proves farm.function.exceptions
test.each([
  [1, "does not know the function"],
  [2, "has no such address"],
  [3, "does not take the value"],
  [4, "failed inside"],
  [5, "long job"],
  [6, "busy"],
  [8, "parity"],
])("exception %i is told in words", async (code, word) => {
  const { line } = memoryLine("rtu", (_bytes, far) => far.send(withCrc(Uint8Array.of(1, 0x84, code))));
  const failure: unknown = await line.exchange(INPUTS, { timeout }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "DEVICE_EXCEPTION", details: { exception: code } });
  // The long job is taken, not refused.
  expect(failure instanceof SteadingError && isRefusal(failure)).toBe(code !== 5);
  expect(String(failure)).toContain(word);
});

test("an echo of another write than ours is no acknowledgement", async () => {
  const { clock, line } = memoryLine("rtu", (_bytes, far) => far.send(withCrc(bytesOf("01 05 00 07 FF 00"))));
  const asked = line.exchange({ kind: "write-coil", unit: 1, address: 3, on: true }, { timeout });
  const failed = expect(asked).rejects.toMatchObject({ code: "DEVICE_GARBLED" });
  await clock.advance(millis(50));
  await failed;
});

const bad = (request: object): ModbusRequest => request as ModbusRequest; // what types would not let through

// @proves farm.function.read-limits farm.function.write-limits
test.each([
  ["126 registers", { kind: "read", unit: 1, fc: 3, address: 0, quantity: 126 }],
  ["2001 bits", { kind: "read", unit: 1, fc: 1, address: 0, quantity: 2_001 }],
  ["no register at all", { kind: "read", unit: 1, fc: 3, address: 0, quantity: 0 }],
  ["registers beyond the last", { kind: "read", unit: 1, fc: 3, address: 65_535, quantity: 2 }],
  ["1969 coils", { kind: "write-coils", unit: 1, address: 0, states: Array.from({ length: 1_969 }, () => true) }],
  ["124 registers", { kind: "write-registers", unit: 1, address: 0, values: Array.from({ length: 124 }, () => 1) }],
  ["the coil abc", { kind: "write-coil", unit: 1, address: "abc", on: true }],
  ["coil 2.5", { kind: "write-coil", unit: 1, address: 2.5, on: true }],
  ["coil -1", { kind: "write-coil", unit: 1, address: -1, on: true }],
  ["coil 65536", { kind: "write-coil", unit: 1, address: 65_536, on: true }],
  ["the state false as text", { kind: "write-coil", unit: 1, address: 0, on: "false" }],
  ["the state 1", { kind: "write-coil", unit: 1, address: 0, on: 1 }],
  ["the state null", { kind: "write-coil", unit: 1, address: 0, on: null }],
  ["unit 256", { kind: "write-coil", unit: 256, address: 0, on: true }],
  ["the value 65536", { kind: "write-register", unit: 1, address: 0, value: 65_536 }],
])("%s costs no byte and not even a connection", async (_what, request) => {
  const { line, net } = memoryLine("tcp");
  await expect(line.exchange(bad(request), { timeout })).rejects.toMatchObject({ code: "BAD_INPUT" });
  expect(net.ends).toHaveLength(0);
});
