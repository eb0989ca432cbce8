import { mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { climateSensor, createTrialFarm, greenhouseRelays, type TrialFarm } from "@steading/farm/testing";
import { createVirtualFarm, type FarmAddresses, type VirtualFarm } from "@steading/sim";
import { afterEach, beforeEach, expect, test, type TestContext } from "vitest";

const BOARD = 6;
const SENSOR = 1;

let sim: VirtualFarm;
let addresses: FarmAddresses;
let farm: TrialFarm;
let folder: string | undefined;

beforeEach(async () => {
  sim = createVirtualFarm();
  addresses = await sim.start();
  farm = createTrialFarm({ timeoutMs: 400 });
  await farm.start();
});
afterEach(async () => {
  await farm.stop();
  await sim.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
});

/** A line whose name stays while the terminal behind it changes, as the links of /dev/serial do. */
async function plug(context: TestContext): Promise<string> {
  const line = await sim.plugSerial("greenhouse");
  if ("unavailable" in line) return context.skip(`needs a pseudo terminal: ${line.unavailable}`);
  folder ??= await mkdtemp("/dev/shm/steading-").catch(() => context.skip("needs a place under /dev for a link"));
  const name = join(folder, "line");
  await rm(name, { force: true });
  await symlink(line.path, name);
  return name;
}

async function equip(address: string) {
  const serial = { address: `${address}@19200:8E1`, transport: "rtu", polling_interval_ms: 100 } as const;
  const { book } = farm.core;
  const board = await book.create({ ...greenhouseRelays(addresses), ...serial }, "test");
  const sensor = await book.create({ ...climateSensor(addresses), ...serial }, "test");
  await status(board.id, "online");
  await status(sensor.id, "online");
  return { board: board.id, sensor: sensor.id, serial };
}

const turn = (equipmentId: number, state: boolean) =>
  farm.core.relays.switch({ equipmentId, channel: 2, state, source: "manual" }, farm.perform);

/** Asks out of turn again and again, so that no back-off has to be waited for. */
async function status(id: number, wanted: string): Promise<void> {
  await expect
    .poll(async () => {
      await farm.core.field.pollNow(id);
      return farm.core.book.state(id).status;
    })
    .toBe(wanted);
}

test("units on a serial line are polled, and their values are those of the field", async (context) => {
  const { board, sensor } = await equip(await plug(context));
  const { metrics } = farm.core.book.state(sensor);
  expect(metrics.get("temperature")?.value).toBeCloseTo(sim.state.airC, 0);
  expect(metrics.get("humidity")?.value).toBeCloseTo(sim.state.humidity, 0);
  expect(farm.core.book.state(board).channels.size).toBe(6);
  // Everything came over the one line: nobody dialled a gateway.
  expect(new Set(sim.exchanges.map(({ gateway, connection }) => `${gateway} ${connection}`)).size).toBe(1);
});

test("ON and OFF go out as function 05, are read back and move the contact", async (context) => {
  const { board } = await equip(await plug(context));
  for (const state of [true, false, true]) {
    expect(await turn(board, state)).toMatchObject({ confirmed: true, state });
    expect(sim.isClosed("greenhouse", BOARD, 2)).toBe(state);
  }
  const written = sim.exchanges.filter(({ code }) => code === 5);
  expect(written.map(({ request }) => request)).toEqual(["050002ff00", "0500020000", "050002ff00"]);
  const [first] = written;
  const readBack = sim.exchanges.find(
    ({ order, unit, code }) => order > (first?.order ?? 0) && unit === BOARD && code === 1,
  );
  expect(readBack).toMatchObject({ request: "0100020001", answer: "010101" });
});

test("a contact that does not move is not called switched", async (context) => {
  const { board } = await equip(await plug(context));
  sim.unit("greenhouse", BOARD, { stuck: [2] });
  await expect(turn(board, true)).rejects.toMatchObject({ code: "DEVICE_UNCONFIRMED" });
});

test("a dead unit is in error by itself; its neighbours answer on, and it is found again", async (context) => {
  const { board, sensor } = await equip(await plug(context));
  sim.unit("greenhouse", SENSOR, { dead: true });
  await status(sensor, "error");
  for (const state of [true, false]) {
    expect(await turn(board, state)).toMatchObject({ confirmed: true, state });
  }
  expect(farm.core.book.state(board).status).toBe("online");
  sim.unit("greenhouse", SENSOR, { dead: false });
  await status(sensor, "online");
});

test("a damaged answer is asked for again, and the cycle has not failed", async (context) => {
  const { board, sensor } = await equip(await plug(context));
  const bus = farm.core.field.busOf(farm.core.book.get(board));
  const { failures } = farm.core.field.counters().polling;
  sim.unit("greenhouse", SENSOR, { foreign: 1 });
  await expect
    .poll(async () => {
      expect(await farm.core.field.pollNow(sensor)).toMatchObject({ ok: true });
      return bus?.counters().retries;
    })
    .toBe(1);
  expect(farm.core.field.counters().polling.failures).toBe(failures);
});

test("a line that vanishes puts its units in error and refuses orders; back again it works on", async (context) => {
  const { board, sensor } = await equip(await plug(context));
  await sim.unplugSerial("greenhouse");
  await status(board, "error");
  await status(sensor, "error");
  await expect(turn(board, true)).rejects.toMatchObject({ code: expect.stringMatching(/GATEWAY_DOWN|DEVICE_TIMEOUT/) });
  expect(sim.isClosed("greenhouse", BOARD, 2)).toBe(false);
  await plug(context);
  await status(board, "online");
  await status(sensor, "online");
  expect(await turn(board, true)).toMatchObject({ confirmed: true });
  expect(sim.isClosed("greenhouse", BOARD, 2)).toBe(true);
});
