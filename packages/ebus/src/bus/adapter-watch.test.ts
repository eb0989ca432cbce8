import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createAdapterWatch, type AdapterReport } from "./adapter-watch.ts";

function watched() {
  const clock = createManualClock(1_000);
  const asked: number[] = [];
  const reports: AdapterReport[] = [];
  const adapter = { temperature: 30, rssi: 0xc4, knows: true };
  const answers: Readonly<Record<number, () => number[]>> = {
    0: () => [2, 1, 0x5b, 0x3c, 0x09, 1, 0x9e, 0x27],
    1: () => [7],
    2: () => [0, 1],
    3: () => [0, adapter.temperature],
    4: () => [0x13, 0x88],
    5: () => [0xb9, 0x69],
    6: () => [1, 4],
    7: () => [adapter.rssi],
  };
  const watch = createAdapterWatch({
    clock,
    told: (report) => reports.push(report),
    async ask(id) {
      asked.push(id);
      return adapter.knows ? Uint8Array.from(answers[id]?.() ?? []) : undefined;
    },
  });
  const taken = (): number[] => asked.splice(0);
  return { clock, watch, reports, adapter, taken };
}

// @proves ebus.adapter-info.identity-once ebus.adapter-info.telemetry-interval
test("who the adapter is is asked once, how it is every 30 s, and what it stops telling is gone", async () => {
  const { clock, watch, reports, adapter, taken } = watched();
  watch.begin();
  await clock.advance(millis(0));
  expect(taken()).toEqual([0, 1, 2, 6, 3, 4, 5, 7]);
  expect(reports.at(-1)).toMatchObject({ version: 2, temperatureC: 30, wifiRssiDbm: -60, restartCount: 4 });
  await clock.advance(millis(29_999));
  expect(taken()).toEqual([]);
  Object.assign(adapter, { temperature: 31, rssi: 0 });
  await clock.advance(millis(1));
  expect(taken()).toEqual([3, 4, 5, 7]);
  expect(reports.at(-1)).toMatchObject({ version: 2, temperatureC: 31, identityAt: 1_000, telemetryAt: 31_000 });
  expect(reports.at(-1)).not.toHaveProperty("wifiRssiDbm");
  watch.stop();
  expect(clock.pending).toBe(0);
});

test("an adapter that starts over is asked again who it is, and one that said nothing gets another chance", async () => {
  const { clock, watch, reports, adapter, taken } = watched();
  adapter.knows = false;
  watch.begin();
  await clock.advance(millis(0));
  expect(taken()).toEqual([0]);
  expect(reports).toEqual([]);
  adapter.knows = true;
  await clock.advance(seconds(30));
  expect(taken()).toEqual([0, 1, 2, 6, 3, 4, 5, 7]);
  watch.begin();
  await clock.advance(millis(0));
  expect(taken()[0]).toBe(0);
  expect(clock.pending).toBe(1);
  watch.stop();
});
