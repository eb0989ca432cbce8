import { createManualClock, millis, seconds, silentLog } from "@steading/kernel";
import { createGraph } from "@steading/subjects";
import { expect, test } from "vitest";
import type { BusCounters, BusState } from "../bus/bus-events.ts";
import type { KnownDevice } from "../registry/device-book.ts";
import { createHeatingSubjects } from "./heating-view.ts";

const UP: BusState = {
  connected: true,
  ready: true,
  signal: "ok",
  sourceState: "admitted",
  source: 0x71,
  misconfigured: undefined,
  adapter: undefined,
};
const COUNTERS: BusCounters = {
  symbols: 0,
  syns: 0,
  telegrams: 3,
  broken: {},
  trouble: {},
  arbitrationsLost: 0,
  adapterResets: 0,
  synMissed: 0,
  faults: 0,
  connects: 1,
  failedConnects: 0,
  sent: 2,
  coalesced: 0,
  refused: 0,
  expired: 0,
  outcomes: {},
};
const REGULATOR: KnownDevice = {
  address: 0x15,
  addresses: [0x10, 0x15],
  manufacturer: "Vaillant",
  deviceId: "BASV2",
  software: "0507",
  hardware: "1704",
};

async function mounted() {
  const clock = createManualClock(Date.UTC(2026, 2, 5));
  const graph = createGraph({ clock, log: silentLog });
  const view = createHeatingSubjects(graph);
  const started = view.start();
  await clock.advance(millis(0));
  await started;
  const qualityOf = (path: string): string | undefined => {
    const located = graph.locate(path);
    return located.kind === "property" ? located.property.quality : undefined;
  };
  return { clock, graph, view, qualityOf };
}

// @proves ebus.pitfall.outage-stale
test("a lost link or signal makes what is told of the devices stale, and each is good again when it is next met", async () => {
  const { clock, graph, view, qualityOf } = await mounted();
  view.bus(UP, COUNTERS);
  view.device(REGULATOR);
  view.device({ ...REGULATOR, address: 0x26, addresses: [0x26], deviceId: "VR_71" });
  const id = "/heating/devices[15]/deviceId";
  const other = "/heating/devices[26]/deviceId";
  expect([graph.get(id), qualityOf(id)]).toEqual(["BASV2", "good"]);
  for (const outage of [
    { connected: false, signal: "none" },
    { connected: true, signal: "none" },
  ] as const) {
    await clock.advance(seconds(10));
    view.bus({ ...UP, ...outage }, COUNTERS);
    expect([graph.get(id), qualityOf(id), qualityOf(other)]).toEqual(["BASV2", "stale", "stale"]);
    expect([graph.get("/heating/connected"), qualityOf("/heating/connected")]).toEqual([outage.connected, "good"]);
    view.bus(UP, COUNTERS);
    expect(qualityOf(id)).toBe("stale"); // the line is back; whether the device is, nobody knows yet
    view.device(REGULATOR);
    expect([qualityOf(id), qualityOf(other)]).toEqual(["good", "stale"]);
  }
  view.bus({ ...UP, signal: "lost" }, COUNTERS); // a quarter of a second
  expect(qualityOf(id)).toBe("good");
  await graph.close();
});

test("faces that are met later are told, and a device that was met at an alias moves to its own address", async () => {
  const { graph, view } = await mounted();
  view.device({ ...REGULATOR, address: 0xec, addresses: [0xec] });
  expect(graph.get("/heating/devices[ec]/addresses")).toEqual(["ec"]);
  view.device({ ...REGULATOR, addresses: [0x10, 0x15, 0xec] });
  expect(graph.find("/heating/devices[ec]")).toBeNull();
  expect(graph.get("/heating/devices[15]/addresses")).toEqual(["10", "15", "ec"]);
  view.device({ ...REGULATOR, addresses: [0x10, 0x15, 0xec], software: "0508" });
  expect(graph.get("/heating/devices[15]/software")).toBe("0508");
  await graph.close();
});
