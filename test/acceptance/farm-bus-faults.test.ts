import {
  climateSensor,
  createTrialFarm,
  greenhouseRelays,
  shedRelays,
  soilProbe,
  type TrialFarm,
} from "@steading/farm/testing";
import {
  createVirtualFarm,
  type FarmAddresses,
  type GatewayKnobs,
  type UnitKnobs,
  type VirtualFarm,
} from "@steading/sim";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let sim: VirtualFarm;
let addresses: FarmAddresses;
let farm: TrialFarm;

beforeEach(async () => {
  sim = createVirtualFarm();
  addresses = await sim.start();
  farm = createTrialFarm({ timeoutMs: 400 });
  await farm.start();
});
afterEach(async () => {
  await farm.stop();
  await sim.stop();
});

const SIDES = {
  "Modbus TCP": { gateway: "shed", board: 1, sensor: 2, channel: 0, contact: 1 },
  "RTU over TCP": { gateway: "greenhouse", board: 6, sensor: 1, channel: 2, contact: 2 },
} as const;

async function equip(side: keyof typeof SIDES) {
  const isTcp = side === "Modbus TCP";
  const board = await farm.core.book.create(isTcp ? shedRelays(addresses) : greenhouseRelays(addresses), "test");
  const sensor = await farm.core.book.create(isTcp ? soilProbe(addresses, 2) : climateSensor(addresses), "test");
  return { board: board.id, sensor: sensor.id };
}

function counters(id: number) {
  const bus = farm.core.field.busOf(farm.core.book.get(id));
  if (!bus) throw new Error(`Equipment ${id} has no bus.`);
  return bus.counters();
}

/** Waits for something that the farm itself brings about; the test's time-out is the only limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each(Object.keys(SIDES) as (keyof typeof SIDES)[])("%s", (side) => {
  const { gateway, board: unit, sensor: probe, channel, contact } = SIDES[side];
  const turn = (state: boolean, id: number) =>
    farm.core.relays.switch({ equipmentId: id, channel, state, source: "manual" }, farm.perform);

  // @proves farm.framing.byte-at-a-time farm.framing.late-dropped farm.framing.two-in-one
  test.each<[string, Partial<GatewayKnobs>]>([
    ["single bytes", { split: true }],
    ["an old answer in front of each, in one segment", { merged: true }],
    ["an old answer in front of each, in single bytes", { split: true, merged: true }],
    ["every answer twice in one segment", { doubled: true }],
    ["an old answer in front and the right one twice, in one segment", { merged: true, doubled: true }],
  ])("a gateway that sends %s is understood", async (_what, knobs) => {
    sim.gateway(gateway, knobs);
    const { board, sensor } = await equip(side);
    for (const state of [true, false, true]) {
      expect(await turn(state, board)).toMatchObject({ confirmed: true, state });
      expect(sim.isClosed(gateway, unit, contact)).toBe(state);
    }
    await until(() => farm.core.book.state(sensor).metrics.size >= 2);
    expect(farm.core.book.state(sensor).status).toBe("online");
    const { foreign, garbled } = counters(board);
    expect(garbled).toBe(0);
    // The surplus answers came in and were dropped, each as a whole frame.
    if (knobs.merged === true || knobs.doubled === true) expect(foreign).toBeGreaterThan(3);
    else expect(foreign).toBe(0);
  });

  // @proves farm.framing.rtu-bad-crc farm.schedule.retries
  test.each<[string, Partial<UnitKnobs>]>([
    ["rubbish", { garbage: 1 }],
    ["an answer that is not for us", { foreign: 1 }],
  ])("one answer that is %s is asked for again, and no wrong value is believed", async (_what, knobs) => {
    const { sensor } = await equip(side);
    await until(() => farm.core.book.state(sensor).status === "online");
    const before = farm.core.field.counters().polling.failures;
    sim.unit(gateway, probe, knobs);
    const cycle = await farm.core.field.pollNow(sensor);
    expect(cycle?.ok).toBe(true);
    expect(farm.core.field.counters().polling.failures).toBe(before);
    for (const [, { value }] of farm.core.book.state(sensor).metrics) expect(Number(value)).toBeLessThan(10_000);
  });

  test("a command that is acted on but never answered is unknown while it stays silent, and found out afterwards", async () => {
    const { board } = await equip(side);
    sim.unit(gateway, unit, { silent: true });
    await expect(turn(true, board)).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
    expect(sim.isClosed(gateway, unit, contact)).toBe(true);
    sim.unit(gateway, unit, { silent: false });
    const writes = sim.exchanges.filter(({ code }) => code === 5).length;
    await farm.core.field.pollNow(board);
    expect(farm.core.book.state(board).channels.get(channel)).toMatchObject({ on: true });
    expect(sim.exchanges.filter(({ code }) => code === 5)).toHaveLength(writes); // looked at, not sent again
  });

  test("a slow board's late answers never pass for another question's", async () => {
    const { board } = await equip(side);
    await until(() => farm.core.book.state(board).status === "online");
    sim.unit(gateway, unit, { slow: 600 });
    await turn(true, board).catch(() => undefined);
    sim.unit(gateway, unit, { slow: 0 });
    await until(() => sim.isClosed(gateway, unit, contact));
    expect(await turn(false, board)).toMatchObject({ confirmed: true, state: false });
    expect(sim.isClosed(gateway, unit, contact)).toBe(false);
  });

  // @proves farm.schedule.keep-alive farm.schedule.one-socket
  test("one connection serves every unit and is kept; a cut one is made again", async () => {
    const { board, sensor } = await equip(side);
    await until(
      () => farm.core.book.state(sensor).status === "online" && farm.core.book.state(board).status === "online",
    );
    expect(new Set(sim.exchanges.map(({ connection }) => connection))).toEqual(new Set([1]));
    sim.cut(gateway);
    expect(await turn(true, board)).toMatchObject({ confirmed: true });
    expect(sim.exchanges.at(-1)?.connection).toBe(2);
  });
});
