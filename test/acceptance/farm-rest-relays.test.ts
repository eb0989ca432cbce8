import { greenhouseRelays, shedRelays } from "@steading/farm/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";
import { createFarmRest, type RestCall } from "../support/farm-rest.ts";

let place: FarmPlace;
let call: RestCall;
let seen = 0;
beforeAll(async () => {
  place = await startFarmPlace();
  call = await createFarmRest(place);
});
afterAll(() => place.close());
beforeEach(() => {
  seen = place.sim.exchanges.length;
});
afterEach(async () => {
  place.sim.reset();
  for (const { id } of (await call("GET", "/api/equipment")).rows) {
    await call("POST", `/api/equipment/${Number(id)}/relay/all`, { body: { state: false } });
    await call("DELETE", `/api/equipment/${Number(id)}?force=1`, { role: "admin" });
  }
});

const add = async (body: object): Promise<number> => (await call("POST", "/api/equipment", { body })).id;
/** What was written since the test began, as function code and data. */
const written = (): string[] =>
  place.sim.exchanges.slice(seen).flatMap(({ code, request }) => ([5, 6, 15, 16].includes(code) ? [request] : []));

describe("all channels of a board", () => {
  // @proves farm.equipment-api.relay-all-contiguous
  test("coils side by side are switched with one frame and read back together", async () => {
    const id = await add(shedRelays(place.addresses));
    const states = [true, false, true, false, false, false, false, false];
    const all = await call("POST", `/api/equipment/${id}/relay/all`, { body: { states } });
    expect(all.json).toMatchObject({ success: true, channels: 8, state: states, confirmed: true, writeOnly: false });
    expect(written()).toEqual(["0f000000080105"]);
    expect(states.map((_, i) => place.sim.isClosed("shed", 1, i + 1))).toEqual(states);
    await call("POST", `/api/equipment/${id}/relay/all`, { body: { state: false } });
    expect(written().slice(1)).toEqual(["0f000000080100"]);
    const events = place.part.core.tables.all("relay_events").filter(({ equipment_id }) => equipment_id === id);
    expect(events).toHaveLength(16);
    expect(events.every(({ source, confirmed }) => source === "all_channels" && confirmed)).toBe(true);
  });

  // @proves farm.board.gaps farm.equipment-api.relay-all-contiguous
  test("with a gap between them each has a frame of its own, the OFFs first", async () => {
    const board = shedRelays(place.addresses);
    const id = await add({ ...board, register_mappings: board.register_mappings?.filter((_, i) => i !== 1 && i < 4) });
    const all = await call("POST", `/api/equipment/${id}/relay/all`, { body: { states: [true, false, true] } });
    expect(all.json).toMatchObject({ channels: 3, confirmed: true });
    expect(written()).toEqual(["0500020000", "050000ff00", "050003ff00"]);
    expect(place.sim.isClosed("shed", 1, 2)).toBe(false);
  });

  test("a board that does not do it all is 502, and only the channels that are wrong raise an alert", async () => {
    const id = await add(greenhouseRelays(place.addresses));
    place.sim.unit("greenhouse", 6, { stuck: [3] });
    const all = await call("POST", `/api/equipment/${id}/relay/all`, { body: { state: true } });
    expect(all).toMatchObject({ status: 502, json: { code: "DEVICE_UNCONFIRMED", details: { channel: 3 } } });
    const alerts = async () => (await call("GET", `/api/alerts?equipment_id=${id}&cleared=false`)).rows;
    await expect
      .poll(async () => (await alerts()).map(({ fingerprint }) => fingerprint))
      .toEqual([`relay_unconfirmed:${id}:3`]);
  });
});

describe("a board that never answers", () => {
  const gate = () => ({
    name: "Gate",
    type: "relay",
    address: `127.0.0.1:${place.addresses.gate.port}`,
    transport: "rtu_over_tcp",
    write_only: true,
    register_mappings: [0, 1].map((register) => ({
      name: `g${register}`,
      register,
      type: "coil",
      access: "readwrite",
    })),
  });

  // @proves farm.receipt.confirmed
  test("confirmed is true exactly where the receipt says observed", async () => {
    const ids = [await add(shedRelays(place.addresses)), await add(gate())];
    const [seen, sent] = await Promise.all(
      ids.map((id) => call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 1, state: true } })),
    );
    expect(seen?.json).toMatchObject({ confirmed: true, writeOnly: false, receipt: { stage: "observed" } });
    expect(sent?.json).toMatchObject({ confirmed: false, writeOnly: true, receipt: { stage: "acknowledged" } });
  });

  // @proves farm.board.factory-firmware
  test("nothing that needs its state is taken for it", async () => {
    const id = await add(gate());
    const toggle = { type: "control", equipment_id: id, channel: 0, action: "toggle" };
    expect((await call("POST", "/api/automations", { body: { name: "Turn", actions: [toggle] } })).status).toBe(422);
    const on = await call("POST", "/api/automations", { body: { name: "On", actions: [{ ...toggle, action: "on" }] } });
    expect(on.status).toBe(201);
    expect((await call("PUT", `/api/automations/${on.id}`, { body: { actions: [toggle] } })).status).toBe(422);
    const control = { action: "toggle", channel: 0 };
    expect((await call("POST", `/api/equipment/${id}/control`, { body: control })).status).toBe(422);
    expect(written()).toEqual([]);
  });
});

describe("a timed ON", () => {
  const pulsing = () => {
    const board = shedRelays(place.addresses);
    const register_mappings = board.register_mappings?.map((mapping) => ({ ...mapping, onBoardPulse: true }));
    return { ...board, register_mappings };
  };

  // @proves farm.board.pulse-preferred farm.equipment-api.relay-control-auto-off
  test("a board that counts by itself is told how long, and tells when the channel goes off", async () => {
    const id = await add(pulsing());
    const body = { channel: 2, state: true, duration_seconds: 600 };
    const on = await call("POST", `/api/equipment/${id}/relay/control`, { body });
    expect(written()).toEqual(["0502021770"]);
    expect(on.json).toMatchObject({ success: true, state: true, confirmed: true, auto_off_reason: "duration" });
    const off = Date.parse(String(on.json["auto_off_at"])) - Date.now();
    expect(off).toBeGreaterThan(590_000);
    expect(off).toBeLessThanOrEqual(600_000);
    const state = await call("GET", `/api/equipment/${id}/relay/state`);
    expect((state.json["channels"] as object[])[2]).toMatchObject({ state: true, auto_off_at: on.json["auto_off_at"] });
    await call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 2, state: false } });
    const later = await call("GET", `/api/equipment/${id}/relay/state`);
    expect((later.json["channels"] as object[])[2]).toMatchObject({ state: false, auto_off_at: null });
  });

  test("the board really drops it, and an automation may ask for it as well", async () => {
    const id = await add(pulsing());
    const action = { type: "control", equipment_id: id, channel: 1, action: "on", duration_seconds: 1 };
    const program = await call("POST", "/api/automations", { body: { name: "Water", actions: [action] } });
    const run = await call("POST", `/api/automations/${program.id}/trigger`);
    expect(run.json).toMatchObject({ success: true, executed_actions: [{ status: "executed", duration_seconds: 1 }] });
    expect(place.sim.isClosed("shed", 1, 2)).toBe(true);
    await expect.poll(() => place.sim.isClosed("shed", 1, 2)).toBe(false);
    await expect
      .poll(async () => ((await call("GET", `/api/equipment/${id}/relay/state`)).json["channels"] as object[])[1])
      .toMatchObject({ state: false });
    expect(written()).toEqual(["050201000a"]);
  });

  test("where nobody counts, it is refused and nothing is switched", async () => {
    const plain = await add(shedRelays(place.addresses));
    const ask = (id: number, body: object) => call("POST", `/api/equipment/${id}/relay/control`, { body });
    const timed = { channel: 0, state: true, duration_seconds: 60 };
    expect((await ask(plain, timed)).json).toMatchObject({ code: "NOT_AVAILABLE" });
    await call("PUT", `/api/equipment/${plain}`, { body: pulsing() });
    expect((await ask(plain, { ...timed, duration_seconds: 3_277 })).status).toBe(501);
    for (const wrong of [0, -1, "60", 21_601, true]) {
      expect((await ask(plain, { ...timed, duration_seconds: wrong })).status).toBe(400);
    }
    expect((await ask(plain, { ...timed, state: false })).status).toBe(400);
    expect(written()).toEqual([]);
  });
});

describe("setting a register", () => {
  const drive = () => ({
    name: "Drive",
    type: "controller",
    address: `127.0.0.1:${place.addresses.shed.port}`,
    register_mappings: [
      { name: "setpoint", register: 0x8000, type: "holding", scale: 0.1, access: "readwrite" },
      { name: "speed", register: 0x2000, type: "holding", access: "read" },
    ],
  });

  // @proves farm.equipment-api.control farm.action.set
  test("set writes the value backwards through its scale and reads it back, by REST and by an automation", async () => {
    const id = await add(drive());
    const set = await call("POST", `/api/equipment/${id}/control`, { body: { action: "set", value: 25.5 } });
    expect(set.json).toMatchObject({ success: true, action: "set", target: "setpoint", value: 25.5, confirmed: true });
    const actions = [{ type: "control", equipment_id: id, action: "set", value: { target: "setpoint", value: 30 } }];
    const program = await call("POST", "/api/automations", { body: { name: "Slower", actions } });
    expect((await call("POST", `/api/automations/${program.id}/trigger`)).json).toMatchObject({ success: true });
    expect(written()).toEqual(["06800000ff", "068000012c"]);
  });

  // @proves farm.board.config-not-written
  test("a value without room is 400, a register that may not be written 422, and a board's own settings never are", async () => {
    const id = await add(drive());
    const set = (equipment: number, body: object) =>
      call("POST", `/api/equipment/${equipment}/control`, { body: { action: "set", ...body } });
    for (const value of [9_999, -1, "25", null]) expect((await set(id, { value })).status).toBe(400);
    expect((await set(id, { value: 1, target: "speed" })).status).toBe(422);
    expect((await set(id, { value: 1, target: "nothing" })).status).toBe(422);
    const board = await add({
      ...drive(),
      name: "Board",
      type: "relay",
      register_mappings: [
        { name: "baud", register: 0x2000, type: "holding", access: "readwrite" },
        { name: "address", register: 0x4000, type: "holding", access: "readwrite" },
      ],
    });
    expect((await set(board, { value: 2, target: "address" })).status).toBe(422);
    expect((await set(board, { value: 2, target: "baud" })).status).toBe(422);
    expect(
      (await call("POST", `/api/equipment/${board}/relay/control`, { body: { channel: 0x4000, state: true } })).status,
    ).toBe(400);
    expect(written()).toEqual([]);
  });
});
