import { createManualClock, millis, seconds, type ManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { farmError } from "../farm-errors.ts";
import type { Bus } from "./bus.ts";
import { modbusException } from "./modbus-exception.ts";
import type { ModbusReply, ModbusRequest } from "./modbus-request.ts";
import { createPoller, type Cycle, type PolledDevice } from "./poller.ts";
import { RegisterMapping, toMetric } from "./register-mapping.ts";

/** A bus that answers what the test says, at once, and tells what it was asked. */
function scriptedBus(reply: (request: ModbusRequest) => ModbusReply | Promise<ModbusReply>) {
  const asked: { request: ModbusRequest; retries: number | undefined }[] = [];
  const bus: Pick<Bus, "ask" | "quietFor"> = {
    quietFor: () => millis(0),
    async ask(request, { retries }) {
      asked.push({ request, retries });
      return reply(request);
    },
  };
  return { bus, asked };
}

const zeros = (request: ModbusRequest): ModbusReply =>
  request.kind === "read" && request.fc <= 2
    ? { kind: "bits", bits: Array.from({ length: request.quantity }, () => true) }
    : { kind: "words", words: Array.from({ length: 100 }, (_, i) => i) };

function device(bus: PolledDevice["bus"], given: Partial<PolledDevice> = {}): PolledDevice {
  return {
    id: 1,
    busKey: "shed",
    bus,
    unit: 1,
    interval: seconds(1),
    metrics: [toMetric(RegisterMapping.parse({ name: "temperature", register: 5 }))],
    calibration: { offset: 0, scale: 1 },
    ...given,
  };
}

function polling(clock: ManualClock) {
  const cycles: (Cycle & { readonly time: number })[] = [];
  const poller = createPoller({
    clock,
    onCycle: (cycle) => cycles.push({ ...cycle, time: clock.monotonic() }),
    random: () => 0.5,
  });
  return { poller, cycles };
}

// @proves farm.schedule.backoff farm.schedule.dead-unit
test("a silent unit is asked after 1, 2, 4 s and so on up to 60, never sooner than its interval, once each time", async () => {
  const clock = createManualClock();
  const { bus, asked } = scriptedBus(() => Promise.reject(farmError("DEVICE_TIMEOUT", "silent")));
  const two = [5, 50].map((register) => toMetric(RegisterMapping.parse({ register })));
  const { poller, cycles } = polling(clock);
  poller.set(device(bus, { metrics: two, interval: seconds(3) }));
  await clock.advance(seconds(200));
  const gaps = cycles.slice(1).map(({ time }, i) => time - (cycles[i]?.time ?? 0));
  expect(gaps).toEqual([3_000, 3_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(asked).toHaveLength(cycles.length); // one request a cycle, although there are two blocks
  expect(asked.map(({ retries }) => retries)).toEqual([1, ...cycles.slice(1).map(() => 0)]);
  expect(cycles.at(-1)).toMatchObject({ ok: false, failures: 9 });
  await poller.stop();
  expect(clock.pending).toBe(0);
});

// @proves farm.schedule.backoff
test("the back-off varies by ten percent", async () => {
  for (const [random, gap] of [
    [0, 900],
    [0.999_999, 1_100],
  ] as const) {
    const clock = createManualClock();
    const times: number[] = [];
    const poller = createPoller({ clock, onCycle: () => times.push(clock.monotonic()), random: () => random });
    const { bus } = scriptedBus(() => Promise.reject(farmError("DEVICE_TIMEOUT", "silent")));
    poller.set(device(bus, { interval: millis(100) }));
    await clock.advance(seconds(2));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(gap);
    await poller.stop();
  }
});

// @proves farm.schedule.neighbours
test("a silent unit with living neighbours is left alone for as long as its bus says, one without is not", async () => {
  const clock = createManualClock();
  const { bus } = scriptedBus((request) => {
    if (request.unit === 9) throw farmError("DEVICE_TIMEOUT", "silent");
    return zeros(request);
  });
  const { poller, cycles } = polling(clock);
  const until = clock.monotonic() + 30_000;
  const patient = { ...bus, quietFor: () => millis(Math.max(0, until - clock.monotonic())) };
  poller.set(device(patient, { id: 9, unit: 9 }));
  poller.set(device(bus, { id: 1 }));
  poller.set(device({ ...bus, quietFor: () => seconds(30) }, { id: 8, unit: 9, busKey: "another" }));
  await clock.advance(seconds(29));
  const triesOf = (id: number): number => cycles.filter((cycle) => cycle.id === id).length;
  expect(triesOf(9)).toBe(1);
  expect(triesOf(8)).toBe(5); // after 1, 2, 4 and 8 s
  expect(triesOf(1)).toBe(29);
  await clock.advance(seconds(2));
  expect(triesOf(9)).toBe(2);
  await poller.stop();
  expect(clock.pending).toBe(0);
});

// @proves farm.schedule.backoff-reset
test("a success and a poll that somebody asks for end the back-off", async () => {
  const clock = createManualClock();
  let dead = true;
  const { bus } = scriptedBus((request) => {
    if (dead) throw farmError("DEVICE_TIMEOUT", "silent");
    return zeros(request);
  });
  const { poller, cycles } = polling(clock);
  poller.set(device(bus));
  await clock.advance(seconds(20));
  expect(cycles.length).toBeLessThan(7);
  expect(await poller.pollNow(1)).toMatchObject({ ok: false, failures: 1 });
  dead = false;
  const before = cycles.length;
  await clock.advance(seconds(11));
  expect(cycles.length).toBe(before + 11);
  expect(poller.pollNow(99)).toBeUndefined();
  await poller.stop();
});

// @proves farm.schedule.overrun
test("a cycle that overruns leaves cycles out and never runs beside itself", async () => {
  const clock = createManualClock();
  let running = 0;
  let most = 0;
  const { bus } = scriptedBus(async (request) => {
    running += 1;
    most = Math.max(most, running);
    await clock.sleep(millis(2_500));
    running -= 1;
    return zeros(request);
  });
  const { poller, cycles } = polling(clock);
  poller.set(device(bus));
  await clock.advance(seconds(12));
  expect(most).toBe(1);
  expect(cycles.map(({ time }) => time)).toEqual([2_500, 5_500, 8_500, 11_500]);
  expect(poller.counters().skipped).toBeGreaterThan(0);
  const stopped = poller.stop();
  await clock.advance(seconds(3));
  await stopped;
});

// @proves farm.schedule.spread
test("the first polls of one bus are spread over the interval", async () => {
  const clock = createManualClock();
  const { bus } = scriptedBus(zeros);
  const { poller, cycles } = polling(clock);
  for (let id = 1; id <= 20; id += 1) poller.set(device(bus, { id }));
  await clock.advance(millis(999));
  const times = cycles.map(({ time }) => time).toSorted((a, b) => a - b);
  expect(times).toHaveLength(20);
  const gaps = [...times.slice(1), 1_000].map((time, i) => time - (times[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(150);
  await poller.stop();
});

// @proves farm.schedule.on-change
test("a changed or removed device is polled as it is from the change on", async () => {
  const clock = createManualClock();
  const { bus, asked } = scriptedBus(zeros);
  const { poller, cycles } = polling(clock);
  poller.set(device(bus));
  await clock.advance(seconds(1));
  poller.set(device(bus, { unit: 7 }));
  await clock.advance(seconds(1));
  expect(asked.at(-1)?.request.unit).toBe(7);
  poller.remove(1);
  const before = cycles.length;
  await clock.advance(seconds(5));
  expect(cycles).toHaveLength(before);
  expect(clock.pending).toBe(0);
});

// @proves farm.data.bits farm.schedule.block-split
test("a cycle gives every metric, coils as 1 or 0, and what the device refuses as nothing", async () => {
  const clock = createManualClock();
  const { bus, asked } = scriptedBus((request) => {
    if (request.kind === "read" && request.fc === 3 && request.address + request.quantity > 7)
      throw modbusException(1, 2);
    return zeros(request);
  });
  const { poller, cycles } = polling(clock);
  const mapped = [
    { name: "pump", register: 3, type: "coil", access: "readwrite" },
    { name: "a", register: 5 },
    { name: "b", register: 6 },
    { name: "c", register: 7 },
  ].map((each) => toMetric(RegisterMapping.parse(each)));
  poller.set(device(bus, { metrics: mapped }));
  await clock.advance(millis(10));
  const [cycle] = cycles;
  expect(cycle?.ok).toBe(true);
  const values = cycle?.ok ? Object.fromEntries(cycle.readings.map(({ metric, value }) => [metric.name, value])) : {};
  expect(values).toEqual({ pump: 1, a: 0, b: 0, c: undefined });
  const first = asked.length;
  await clock.advance(seconds(1));
  expect(asked.length - first).toBe(4); // the split is remembered: nothing is asked for in vain but the one that is refused
  await poller.stop();
});
