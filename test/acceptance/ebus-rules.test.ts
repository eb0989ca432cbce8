import { allTargets, createBusReader, createDeviceBook, scan, type ExchangeResult } from "@steading/ebus";
import { millis, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { startEbusHouse, type EbusHouse } from "../support/ebus-house.ts";

let place: EbusHouse | undefined;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

const QUIET = { knobs: { traffic: false } } as const;
const outdoor = {
  target: 0x15,
  primary: 0xb5,
  secondary: 0x24,
  data: Uint8Array.of(0x02, 0x00, 0x00, 0x00, 0x73, 0x00),
} as const;

/** What our adapter's port put on the house's wire. */
function ours({ house }: EbusHouse) {
  return house.exchanges.filter(({ origin }) => /^(enh|plain)-/.test(origin));
}

// @proves ebus.source.passive-only
test.each(["enh", "plain"] as const)("over %s: read only means that not one byte reaches the bus", async (port) => {
  place = await startEbusHouse({ port, bus: { readOnly: true, onlyDevice: true } });
  const { bus, clock, written } = place;
  await clock.advance(seconds(60));
  await expect(bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() })).rejects.toMatchObject({
    code: "PERMISSION_DENIED",
  });
  await clock.advance(seconds(5));
  expect(bus.counters.telegrams).toBeGreaterThan(5);
  expect(ours(place)).toEqual([]);
  // The greeting and the questions about the adapter itself stay in the adapter; START and SEND do not occur.
  if (port === "plain") expect(written[0]).toEqual([]);
  else expect(written[0]?.filter((byte) => byte >= 0xc0).every((byte) => [0xc0, 0xcc].includes(byte))).toBe(true);
});

// @proves ebus.source.listens-first
test.each(["enh", "plain"] as const)("over %s: nothing is sent before a warm-up of listening", async (port) => {
  place = await startEbusHouse({ port, house: QUIET, bus: { warmUp: seconds(10) } });
  const { bus, clock } = place;
  await expect(bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "source selection not active",
  });
  await clock.advance(seconds(9.9));
  expect(ours(place)).toEqual([]);
  expect(place.written.flat().filter((byte) => port === "plain" || byte === 0xc9)).toEqual([]);
  await place.admitted();
  expect(ours(place).map(({ commands }) => commands[0])).toEqual(["71 76 07 04 00", expect.stringContaining("71 15")]);
});

// @proves ebus.source.none
test("without an address nothing active is sent, and it is told", async () => {
  const silent = { silence: { times: 1_000_000 } };
  place = await startEbusHouse({ port: "enh", house: { knobs: { traffic: false, faults: silent } } });
  await place.until(() => place?.bus.state.sourceState === "degraded");
  expect(place.bus.selection).toMatchObject({ source: undefined, probes: 15 });
  await place.until(() => place !== undefined && ours(place).length === 15);
  const sent = ours(place).length;
  await expect(place.identify(0x15)).rejects.toMatchObject({ message: "source selection not active" });
  await place.clock.advance(seconds(60));
  expect(ours(place)).toHaveLength(sent);
  place.house.knobs.reset();
  await place.until(() => place?.bus.state.sourceState === "admitted", 600_000);
});

test("an address that somebody else uses is given up and another one is found", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  place.house.knobs.inject([...Buffer.from("7108070400 43".replace(" ", ""), "hex")]);
  await place.until(() => place?.bus.state.source === undefined);
  await place.admitted();
  expect(place.bus.state.source).toBe(0x7f); // FF is the cloud gateway's: its companion answers
});

// @proves ebus.arbitration.ghost-address
test("an address made of two that collided is nobody's", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  place.house.knobs.faults.ghost.arm({ times: 5, of: [0x7f, 0xf1] });
  await place.until(() => place?.house.knobs.faults.ghost.left === 0);
  await place.clock.advance(millis(200));
  expect(place.bus.census.spoke(0x71)).toBe(false);
  expect(place.bus.census.targets).toEqual([]);
  await place.admitted();
  expect(place.bus.state.source).toBe(0x71);
});

// @proves ebus.fault.latency
test.each(["enh", "plain"] as const)("over %s: with 60 ms of latency all reads still work", async (port) => {
  place = await startEbusHouse({ port, house: { knobs: { traffic: false, latencyMs: 60 } }, bus: { latencyMs: 60 } });
  await place.admitted();
  for (const target of [0x08, 0x15, 0x26]) {
    const result = await place.identify(target, { timeoutMs: 10_000 });
    expect(result.outcome).toBe("success");
  }
});

test.each(["enh", "plain"] as const)("over %s: what a busy machine adds now and then is waited for", async (port) => {
  place = await startEbusHouse({ port, house: QUIET, bus: { latencyMs: 60, jitterMs: 200 } });
  await place.admitted();
  for (const latencyMs of [250, 0, 200, 60]) {
    place.house.knobs.turn({ latencyMs });
    const result = await place.identify(0x15, { timeoutMs: 20_000 });
    expect(result, `${latencyMs}`).toMatchObject({ outcome: "success", transmissions: 1 });
  }
});

test.each(["enh", "plain"] as const)(
  "over %s: with the product's patience too a late answer is never taken for the next one's",
  async (port) => {
    place = await startEbusHouse({ port, house: QUIET, bus: { latencyMs: 60, jitterMs: 200 } });
    await place.admitted();
    // From here on a SYN comes before it.
    for (let ms = 60; ms <= 230; ms += 10)
      for (const part of ["ack", "response"] as const) {
        place.house.knobs.faults.lateAnswer.arm({ target: 0x15, ms, part });
        const late = await place.identify(0x15);
        expect(late.outcome, `${part} after ${ms} ms`).toBe("timeout");
        const next = await place.identify(0x26);
        const name = next.response && Buffer.from(next.response.subarray(1, 6)).toString("latin1");
        expect([next.outcome, name], `after a ${part} of ${ms} ms`).toEqual(["success", "VR_71"]);
      }
  },
);

// @proves ebus.fault.late-answer ebus.pitfall.late-byte
test.each(["enh", "plain"] as const)("over %s: a late answer is never taken for the next one's", async (port) => {
  place = await startEbusHouse({ port, house: QUIET });
  await place.admitted();
  for (let ms = 30; ms <= 230; ms += 10)
    for (const part of ["ack", "response"] as const) {
      place.house.knobs.faults.lateAnswer.arm({ target: 0x15, ms, part });
      const late = await place.identify(0x15);
      expect(late.outcome, `${part} after ${ms} ms`).toBe("timeout");
      const next = await place.identify(0x26);
      const name = next.response && Buffer.from(next.response.subarray(1, 6)).toString("latin1");
      expect([next.outcome, name], `after a ${part} of ${ms} ms`).toEqual(["success", "VR_71"]);
    }
});

// @proves ebus.fault.adapter-reset
test("an adapter that starts over ends the exchange, and the next one works without a restart", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  const { bus, house, clock } = place;
  await place.admitted();
  await clock.advance(seconds(5));
  const asked = bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array(), timeout: seconds(2) });
  await place.until(() => house.bus.turn !== undefined && bus.counters.symbols > 0);
  await clock.advance(millis(60));
  house.knobs.resetAdapter();
  expect(await place.run(asked)).toMatchObject({ outcome: "timeout", reason: "adapter_reset" });
  expect(bus.counters.adapterResets).toBe(1);
  await place.until(() => bus.state.ready);
  expect((await place.identify(0x15)).outcome).toBe("success");
  expect(bus.counters.connects).toBe(1);
});

// @proves ebus.fault.half-pair
test("half a pair and then silence does not block the link", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  place.house.knobs.faults.halfPair.arm({ silentMs: 1_000 });
  await place.until(() => (place?.bus.counters.trouble.half_pair ?? 0) > 0);
  await place.until(() => place?.bus.state.signal === "ok");
  expect((await place.identify(0x15)).outcome).toBe("success");
});

// @proves ebus.fault.tcp-cut
test.each(["enh", "plain"] as const)("over %s: a cut link ends the exchange and is made again", async (port) => {
  place = await startEbusHouse({ port, house: QUIET });
  const { bus, clock } = place;
  await place.admitted();
  const asked = bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array(), timeout: seconds(2) });
  await clock.advance(millis(60));
  place.cut();
  expect(await place.run(asked)).toMatchObject({ outcome: "timeout", reason: "disconnected" });
  expect(bus.state).toMatchObject({ connected: false, signal: "none" });
  await place.until(() => bus.state.ready && bus.state.signal === "ok");
  expect(bus.state.source).toBe(0x71);
  expect((await place.identify(0x15)).outcome).toBe("success");
  expect(bus.counters.connects).toBe(2);
});

// @proves ebus.timing.no-syn-generation ebus.timing.syn-wait
test("a dead bus stays dead: no SYN is made unless we are the only device", async () => {
  place = await startEbusHouse({ port: "plain", house: QUIET });
  await place.admitted();
  await place.clock.advance(seconds(1));
  const before = place.written.flat().length;
  const missed = place.bus.counters.synMissed;
  place.house.knobs.faults.deadLine.arm();
  await place.clock.advance(millis(100));
  expect(place.bus.counters.synMissed).toBe(missed + 1);
  await place.clock.advance(seconds(5));
  expect(place.bus.state.signal).toBe("none");
  expect(place.written.flat()).toHaveLength(before);
});

// @proves ebus.poll.request-timeout
test("a read without a deadline of its own is given up after 2 s", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  place.house.knobs.faults.deadLine.arm();
  const began = place.clock.monotonic();
  const result = await place.run(place.bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() }));
  expect(result.outcome).toBe("timeout");
  const took = place.clock.monotonic() - began;
  expect(took).toBeGreaterThanOrEqual(2_000);
  expect(took).toBeLessThan(2_020);
});

// @proves ebus.poll.b524-attempts
test("an extended register is asked for three times at most", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  const reader = createBusReader({ bus: place.bus, clock: place.clock });
  const before = ours(place).length;
  place.house.knobs.faults.dropAck.arm({ target: 0x15, times: 2 });
  expect((await place.run(reader.read(outdoor))).outcome).toBe("success");
  expect(ours(place)).toHaveLength(before + 3);
  place.house.knobs.faults.dropAck.arm({ target: 0x15, times: 10 });
  expect((await place.run(reader.read(outdoor))).outcome).toBe("timeout");
  await place.clock.advance(seconds(1));
  expect(ours(place)).toHaveLength(before + 6);
});

// @proves ebus.pitfall.b555-contention
test("a timer read that failed under contention is tried again", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  const reader = createBusReader({ bus: place.bus, clock: place.clock });
  place.house.knobs.faults.flipSymbol.arm({ times: 1 });
  const read = reader.read({ target: 0x15, primary: 0xb5, secondary: 0x55, data: Uint8Array.of(0xa3, 0, 0) });
  expect((await place.run(read)).outcome).toBe("success");
  expect(place.bus.counters.outcomes).toMatchObject({ echo_mismatch: 1 });
});

// @proves ebus.poll.pause
test("25 ms pass between two polled reads", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  await place.admitted();
  const { clock } = place;
  const asked: number[] = [];
  const ended: number[] = [];
  const answer: ExchangeResult = { outcome: "success", reason: "done", transmissions: 1, acknowledged: true };
  const reader = createBusReader({
    clock,
    bus: {
      async read() {
        asked.push(clock.monotonic());
        await clock.sleep(millis(7));
        ended.push(clock.monotonic());
        return answer;
      },
    },
  });
  await place.run(Promise.all([reader.read(outdoor), reader.read(outdoor)]));
  expect((asked[1] ?? 0) - (ended[0] ?? 0)).toBe(25);
});

test.each(["enh", "plain"] as const)(
  "over %s: a scan of every address finds the house and nobody else",
  async (port) => {
    place = await startEbusHouse({ port });
    const { bus, clock } = place;
    await place.admitted();
    const signal = new AbortController().signal;
    const report = await place.run(scan({ read: bus.read, clock, targets: allTargets(), signal }), 300_000);
    expect(report.found.map(({ address }) => address).toSorted((a, b) => a - b)).toEqual([
      0x04, 0x08, 0x15, 0x26, 0x35, 0xec, 0xf6,
    ]);
    expect(report.undecided).toEqual([]);
    const book = createDeviceBook({ spoke: bus.census.spoke });
    for (const device of report.found) book.add(device);
    expect(book.devices.map(({ deviceId }) => deviceId)).toEqual(["NETX3", "BAI00", "BASV2", "VR_71", "VR_92"]);
  },
);

test("a scan without addresses is refused instead of becoming a scan of all", async () => {
  place = await startEbusHouse({ port: "enh", house: QUIET });
  const { bus, clock } = place;
  await expect(
    scan({ read: bus.read, clock, targets: [], signal: new AbortController().signal }),
  ).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
