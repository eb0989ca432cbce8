import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createMemoryDial, type FarEnd } from "../testing/memory-wire.ts";
import { createBus } from "./bus.ts";
import { openWire } from "./connection.ts";
import { createLine } from "./line.ts";
import { createMbapFraming } from "./mbap-framing.ts";
import { createPoller } from "./poller.ts";
import { RegisterMapping, toMetric } from "./register-mapping.ts";

const DEAD = 9;

/** A gateway with one wire behind it: whoever asks waits until it has given the dead unit up. */
function slowGateway({ waits, tells }: { readonly waits: number; readonly tells: boolean }) {
  const clock = createManualClock();
  const waiting: { bytes: Buffer; far: FarEnd }[] = [];
  let busy = false;
  let deadAsked = 0;
  function serve(): void {
    const next = busy ? undefined : waiting.shift();
    if (!next) return;
    const { bytes, far } = next;
    const [unit = 0, fc = 0] = bytes.subarray(6);
    const isDead = unit === DEAD;
    if (isDead) deadAsked += 1;
    busy = true;
    clock.timer(millis(isDead ? waits : 10), () => {
      busy = false;
      const body = isDead ? Buffer.of(unit, fc | 0x80, 0x0b) : Buffer.of(unit, fc, 2, 0, 7);
      if (tells || !isDead) far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, body.length), body]));
      serve();
    });
  }
  const { dial } = createMemoryDial({
    onWrite(bytes, far) {
      waiting.push({ bytes, far });
      serve();
    },
  });
  const open = openWire({ dial, framing: createMbapFraming, clock });
  const line = createLine({ name: "shed", open, anonymousFrames: false, clock });
  return { clock, bus: createBus({ line, clock }), deadAsked: () => deadAsked };
}

// @proves farm.schedule.neighbours
test.each([
  { waits: 200, tells: true },
  { waits: 1_000, tells: true },
  { waits: 1_000, tells: false },
  { waits: 1_150, tells: true },
])("beside a dead unit the others keep 95 percent of their polls, whatever the gateway does: %o", async (gateway) => {
  const { clock, bus, deadAsked } = slowGateway(gateway);
  let polls = 0;
  const poller = createPoller({ clock, onCycle: ({ id, ok }) => (polls += Number(id === 1 && ok)), random: () => 0.5 });
  const metrics = [toMetric(RegisterMapping.parse({ register: 0 }))];
  const common = { busKey: "shed", bus, interval: millis(200), metrics, calibration: { offset: 0, scale: 1 } };
  poller.set({ ...common, id: 1, unit: 1 });
  poller.set({ ...common, id: DEAD, unit: DEAD });
  await clock.advance(seconds(180));
  expect(polls / (180 * 5)).toBeGreaterThan(0.95);
  expect(deadAsked()).toBeGreaterThan(3); // it is not given up
  const stopped = poller.stop();
  bus.close();
  await clock.advance(seconds(5));
  await stopped;
});

// @proves farm.function.exception-gateway
test("a unit of which the gateway says that it is silent is not asked a second time at once", async () => {
  const { clock, bus, deadAsked } = slowGateway({ waits: 100, tells: true });
  const read = { kind: "read", unit: DEAD, fc: 3, address: 0, quantity: 1 } as const;
  const asked = expect(bus.ask(read, { priority: "poll" })).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  await clock.advance(seconds(2));
  await asked;
  expect(deadAsked()).toBe(1);
});
