import { createEbusPart, type BusState, type KnownDevice } from "@steading/ebus";
import { createRealClock, createReception, millis, silentLog } from "@steading/kernel";
import { createHouse, type House } from "@steading/sim";
import { afterEach, expect, test } from "vitest";

let house: House | undefined;
let part: ReturnType<typeof createEbusPart> | undefined;
afterEach(async () => {
  await part?.stop();
  await house?.stop();
  part = undefined;
  house = undefined;
});

/** Resolves when the view was told something that makes it true. */
function watching(): {
  readonly view: { bus(state: BusState): void; device(device: KnownDevice): void };
  until(holds: () => boolean): Promise<void>;
} {
  const wakers = new Set<() => void>();
  const wake = (): void => wakers.forEach((waker) => waker());
  return {
    view: { bus: wake, device: wake },
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          wakers.delete(look);
          resolve();
        };
        wakers.add(look);
        look();
      }),
  };
}

async function start(adapter: "enh" | "plain", scheme: "enh" | "tcp-plain", options = {}) {
  house = createHouse();
  const addresses = await house.start({ enh: 0, plain: 0 });
  const { view, until } = watching();
  const clock = createRealClock();
  part = createEbusPart({
    adapter: `${scheme}://127.0.0.1:${addresses[adapter]?.port}`,
    clock,
    log: silentLog,
    reception: createReception(clock),
    view,
    warmUp: millis(500),
    ...options,
  });
  await part.start(new AbortController().signal);
  return { part, until };
}

test("the part finds the devices that talk, and says that it is well", async () => {
  const { part: started, until } = await start("enh", "enh");
  await until(() => started.devices.some(({ deviceId }) => deviceId === "BAI00"));
  expect(started.health()).toEqual({ status: "ok" });
  expect(started.bus.state.adapter).toMatchObject({ features: 1 });
});

test("an adapter that is not there is told as down, in a sentence that names it", async () => {
  const { part: started } = await start("enh", "enh");
  await started.stop();
  expect(started.health()).toMatchObject({ status: "down", reason: expect.stringContaining("enh://127.0.0.1") });
});

test.each([
  ["plain", "enh", "tcp-plain://"],
  ["enh", "tcp-plain", "enh://"],
] as const)("a %s port that is addressed as %s is named, and gets no byte", async (port, scheme, advice) => {
  const { part: started, until } = await start(port, scheme, { warmUp: millis(2_000) });
  await until(() => started.bus.state.misconfigured !== undefined);
  expect(started.health()).toMatchObject({ status: "down", reason: expect.stringContaining(advice) });
  // Whatever is written to a plain port is on the bus, the greeting of an enhanced adapter too.
  expect(house?.exchanges.filter(({ origin }) => /^(enh|plain)-/.test(origin))).toEqual([]);
  expect(house?.portCounters.garbled).toBe(0);
});
