import { createManualClock, createReception, millis, seconds, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import type { AdapterProtocol } from "../adapters/adapter-address.ts";
import type { Link } from "../adapters/link.ts";
import { createFarEnd, type FarEnd } from "../testing/memory-link.ts";
import { createBus } from "./create-bus.ts";

function start(protocol: AdapterProtocol, write?: Link["write"]) {
  const clock = createManualClock();
  const ends: FarEnd[] = [];
  const logged: unknown[] = [];
  const bus = createBus({
    name: "heating",
    protocol,
    clock,
    reception: createReception(clock),
    log: { ...silentLog, error: (_message, cause) => void logged.push(cause) },
    onlyDevice: true,
    dial: async () => {
      const far = createFarEnd();
      ends.push(far);
      return { ...far.link, ...(write && { write }) };
    },
  });
  bus.start(new AbortController().signal);
  return { clock, ends, logged, bus };
}
const fault = new Error("a fault of ours");
const fail = (): never => {
  throw fault;
};

test.each(["plain", "enhanced"] as const)(
  "over %s: a session that fails is logged and ended, and the link is made again",
  async (protocol) => {
    const { clock, ends, logged, bus } = start(protocol, fail);
    await clock.advance(seconds(1));
    expect(logged).toEqual([fault]);
    expect(ends[0]?.closed).toBe(true);
    expect(bus.state.connected).toBe(false);
    await clock.advance(seconds(3));
    expect(ends.length).toBeGreaterThan(1);
    expect(bus.counters).toMatchObject({ connects: ends.length, faults: logged.length });
    await bus.stop();
    expect(clock.pending).toBe(0);
  },
);

test("somebody who watches and fails is logged, and the bus goes on", async () => {
  const { clock, ends, logged, bus } = start("plain");
  await clock.advance(millis(1));
  bus.onSymbol(fail);
  bus.onHeard(fail);
  bus.onState(fail);
  bus.onTelegram(fail);
  ends[0]?.say("AA 10 FE 07 00 09 40 04 58 04 21 26 10 07 14 ED AA");
  expect(new Set(logged)).toEqual(new Set([fault]));
  expect(bus.counters).toMatchObject({ telegrams: 1, connects: 1, faults: logged.length });
  expect(ends[0]?.closed).toBe(false);
  await bus.stop();
});
