import { createVirtualFarm, type FarmAddresses, type VirtualFarm } from "@steading/sim";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTrialFarm, greenhouseRelays, shedRelays, soilProbe, type TrialFarm } from "@steading/farm/testing";

let sim: VirtualFarm;
let addresses: FarmAddresses;
let farm: TrialFarm;

beforeEach(async () => {
  sim = createVirtualFarm();
  addresses = await sim.start();
  farm = createTrialFarm({ timeoutMs: 300 });
  await farm.start();
});
afterEach(async () => {
  await farm.stop();
  await sim.stop();
});

const manual = { source: "manual" } as const;
const codes = (): number[] => sim.exchanges.map(({ code }) => code);

// @proves farm.relay.read-back farm.equipment-api.relay-control farm.board.waveshare
test("a switch closes the contact, reads it back and says so", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const answer = await farm.core.relays.switch({ equipmentId: id, channel: 0, state: true, ...manual }, farm.perform);
  expect(answer).toMatchObject({ success: true, channel: 0, state: true, writeOnly: false, confirmed: true });
  expect(answer["receipt"]).toMatchObject({ stage: "observed", observed: true });
  expect(sim.isClosed("shed", 1, 1)).toBe(true);
  expect(farm.core.book.state(id).channels.get(0)).toMatchObject({ on: true });
});

// @proves farm.board.esp32
test("channel n of the ESP32 board is coil n, over RTU in a TCP stream", async () => {
  const { id } = await farm.core.book.create(greenhouseRelays(addresses), "test");
  await farm.core.relays.switch({ equipmentId: id, channel: 3, state: true, ...manual }, farm.perform);
  expect(sim.isClosed("greenhouse", 6, 3)).toBe(true);
});

// @proves farm.relay.state-boolean farm.relay.channel-mapped
test.each([
  ["channel abc", { channel: "abc", state: true }, "CHANNEL_UNKNOWN"],
  ["channel 2.5", { channel: 2.5, state: true }, "CHANNEL_UNKNOWN"],
  ["channel -1", { channel: -1, state: true }, "CHANNEL_UNKNOWN"],
  ["channel 65536", { channel: 65_536, state: true }, "CHANNEL_UNKNOWN"],
  ["channel 8, which is not mapped", { channel: 8, state: true }, "CHANNEL_UNKNOWN"],
  ["channel null", { channel: null, state: false }, "CHANNEL_UNKNOWN"],
  ["the state false as text", { channel: 0, state: "false" }, "BAD_INPUT"],
  ["the state 1", { channel: 0, state: 1 }, "BAD_INPUT"],
  ["the state null", { channel: 0, state: null }, "BAD_INPUT"],
])("%s costs no byte", async (_what, given, code) => {
  // Without polling, whatever reaches the wire is the switch itself.
  farm.core.field.setPolling(false);
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  await expect(farm.core.relays.switch({ equipmentId: id, ...given, ...manual }, farm.perform)).rejects.toMatchObject({
    code,
  });
  expect(sim.exchanges).toHaveLength(0);
  expect(sim.connections.shed).toBe(0);
});

// @proves farm.relay.equipment-fit farm.equipment.disabled-not-actuated
test("equipment that is unknown, disabled or without Modbus is not switched", async () => {
  const { relays, book } = farm.core;
  await expect(
    relays.switch({ equipmentId: 99, channel: 0, state: false, ...manual }, farm.perform),
  ).rejects.toMatchObject({
    code: "EQUIPMENT_UNKNOWN",
  });
  const { id } = await book.create({ ...shedRelays(addresses), enabled: false }, "test");
  await expect(
    relays.switch({ equipmentId: id, channel: 0, state: true, ...manual }, farm.perform),
  ).rejects.toMatchObject({
    code: "EQUIPMENT_DISABLED",
  });
  const other = await book.create({ ...shedRelays(addresses), protocol: "zigbee", name: "Zigbee" }, "test");
  await expect(
    relays.switch({ equipmentId: other.id, channel: 0, state: true, ...manual }, farm.perform),
  ).rejects.toMatchObject({ code: "NOT_SWITCHABLE" });
  expect(sim.exchanges).toHaveLength(0);
});

// @proves farm.relay.rewrite-once farm.relay.unconfirmed
test("a contact that does not move is written twice, told as unconfirmed and alerted", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  farm.core.field.setPolling(false);
  sim.unit("shed", 1, { stuck: [1] });
  await expect(
    farm.core.relays.switch({ equipmentId: id, channel: 0, state: true, ...manual }, farm.perform),
  ).rejects.toMatchObject({ code: "DEVICE_UNCONFIRMED", retryable: true });
  expect(codes().filter((code) => code === 5)).toHaveLength(2);
  expect(codes().slice(0, 4)).toEqual([5, 1, 5, 1]);
  const [alert] = farm.core.alerts.list();
  expect(alert).toMatchObject({ severity: "critical", fingerprint: `relay_unconfirmed:${id}:0`, equipment_id: id });
  expect(farm.core.tables.all("relay_events").at(-1)).toMatchObject({ channel: 0, state: true, confirmed: false });
});

// @proves farm.schedule.call-delay
test("an OFF goes out at once although a neighbour on the same gateway is dead", async () => {
  sim.unit("shed", 3, { dead: true });
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const dead = await farm.core.book.create(soilProbe(addresses, 3), "test");
  const alive = await farm.core.book.create(soilProbe(addresses, 2), "test");
  await farm.core.relays.switch({ equipmentId: id, channel: 1, state: true, ...manual }, farm.perform);
  await until(() => farm.core.book.state(dead.id).failures > 0 && farm.core.book.state(alive.id).metrics.size === 3);
  const off = await farm.core.relays.switch({ equipmentId: id, channel: 1, state: false, ...manual }, farm.perform);
  expect(off).toMatchObject({ confirmed: true, state: false });
  expect(sim.isClosed("shed", 1, 2)).toBe(false);
  expect(farm.core.book.state(alive.id).status).toBe("online");
});

// @proves farm.relay.off-never-refused farm.access.read-refuses farm.access.read-off-passes
test("an OFF passes where nothing else may be written", async () => {
  const reader = createTrialFarm({ access: "read", timeoutMs: 300 });
  await reader.start();
  const { id } = await reader.core.book.create(shedRelays(addresses), "test");
  await expect(
    reader.core.relays.switch({ equipmentId: id, channel: 0, state: true, ...manual }, reader.perform),
  ).rejects.toMatchObject({ code: "SERVER_READ_ONLY" });
  expect(
    await reader.core.relays.switch({ equipmentId: id, channel: 0, state: false, ...manual }, reader.perform),
  ).toMatchObject({ confirmed: true });
  await reader.stop();
});

test("an OFF that is asked for last has the last word, also over ONs that wait for their turn", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const ask = (channel: number, state: boolean) =>
    farm.core.relays.switch({ equipmentId: id, channel, state, ...manual }, farm.perform);
  const ons = Promise.allSettled([0, 1, 2, 3, 4].map((channel) => ask(channel, true))); // 200 ms between any two
  expect(await ask(4, false)).toMatchObject({ confirmed: true });
  const told = (await ons).map((each) => (each.status === "fulfilled" ? "on" : (each.reason as { code: string }).code));
  // The first was under way: it is written, and the OFF does not wait until somebody has read it back.
  expect(told).toEqual([expect.stringMatching(/^(on|DEVICE_UNCONFIRMED)$/), "on", "on", "on", "SUPERSEDED"]);
  expect([1, 2, 3, 4, 5].map((contact) => sim.isClosed("shed", 1, contact))).toEqual([true, true, true, true, false]);

  const more = Promise.allSettled([4, 5, 6, 7].map((channel) => ask(channel, true)));
  const stopped = await farm.core.relays.switchAll(id, false, "manual", farm.perform);
  expect(stopped).toMatchObject({ confirmed: true });
  await more;
  expect([1, 2, 3, 4, 5, 6, 7, 8].filter((contact) => sim.isClosed("shed", 1, contact))).toEqual([]);
});

test("a board that may be on, for all anybody knows, is told as unknown and kept within reach", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const ask = (state: boolean) =>
    farm.core.relays.switch({ equipmentId: id, channel: 0, state, ...manual }, farm.perform);
  expect(await ask(false)).toMatchObject({ confirmed: true });
  sim.unit("shed", 1, { dead: true });
  await expect(ask(true)).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
  expect(farm.core.book.state(id).channels.get(0)).toMatchObject({ on: null, confirmedAt: null });
  for (const change of [{ slave_id: 9 }, { enabled: false }])
    await expect(farm.core.book.update(id, change, "test")).rejects.toMatchObject({ code: "CHANNEL_IS_ON" });
  sim.unit("shed", 1, { dead: false });
  expect(await ask(false)).toMatchObject({ confirmed: true });
  expect(await farm.core.book.update(id, { enabled: false }, "test")).toMatchObject({ enabled: false });
});

// @proves farm.relay.one-transaction farm.relay.generation farm.relay-event.row farm.relay-event.sources
test("three switches at once all stay, each with an event and a generation of its own", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const channels = [0, 1, 2];
  await Promise.all(
    channels.map((channel) =>
      farm.core.relays.switch({ equipmentId: id, channel, state: true, ...manual }, farm.perform),
    ),
  );
  const state = farm.core.book.state(id);
  expect(channels.map((channel) => state.channels.get(channel)?.on)).toEqual([true, true, true]);
  expect(channels.map((channel) => state.generations.get(channel))).toEqual([1, 1, 1]);
  await farm.core.relays.switch({ equipmentId: id, channel: 0, state: false, source: "mcp" }, farm.perform);
  expect(state.generations.get(0)).toBe(2);
  const events = farm.core.tables.all("relay_events");
  expect(events).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({
    equipment_id: id,
    channel: 0,
    state: false,
    source: "mcp",
    user_id: "user:operator",
    confirmed: true,
    generation: 2,
  });
});

// @proves farm.relay.write-only farm.schedule.write-only
test("a board that never answers is told as switched and not confirmed", async () => {
  const { id } = await farm.core.book.create(
    {
      name: "Gate",
      type: "relay",
      address: `${addresses.gate.host}:${addresses.gate.port}`,
      transport: "rtu_over_tcp",
      slave_id: 6,
      write_only: true,
      register_mappings: [{ name: "gate", register: 0, type: "coil", access: "readwrite" }],
    },
    "test",
  );
  const answer = await farm.core.relays.switch({ equipmentId: id, channel: 0, state: true, ...manual }, farm.perform);
  expect(answer).toMatchObject({ success: true, writeOnly: true, confirmed: false });
  expect(farm.core.book.state(id).channels.get(0)).toMatchObject({ confirmedAt: null });
  expect(farm.core.alerts.list()).toEqual([]);
});

test("a write in the graph obeys the same rules and leaves the same traces", async () => {
  const { id } = await farm.core.book.create(shedRelays(addresses), "test");
  const path = `/farm/equipment/${id}/channels[0]/on`;
  const result = await farm.graph.set(path, true, { perform: farm.perform });
  expect(result.status).toBe("confirmed");
  expect(farm.graph.get(path)).toBe(true);
  expect(farm.core.tables.all("relay_events")).toHaveLength(1);
  expect(sim.isClosed("shed", 1, 1)).toBe(true);
});

/** Waits for something that the farm itself brings about; the test's time-out is the only limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
