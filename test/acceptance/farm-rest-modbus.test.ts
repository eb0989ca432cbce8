import { climateSensor, shedRelays, soilProbe } from "@steading/farm/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";
import { createFarmRest, type RestCall } from "../support/farm-rest.ts";

let place: FarmPlace;
let call: RestCall;
beforeAll(async () => {
  place = await startFarmPlace();
  call = await createFarmRest(place);
});
afterAll(() => place.close());

const admin = { role: "admin" } as const;
const shed = () => ({ host: "127.0.0.1", port: place.addresses.shed.port });
const greenhouse = () => ({ host: "127.0.0.1", port: place.addresses.greenhouse.port, transport: "rtu_over_tcp" });
const sent = () => place.sim.exchanges.map(({ unit, request }) => `${unit} ${request}`);

describe("reading by hand", () => {
  // @proves farm.modbus-api.read
  test("each of the four functions is asked and answered with what was asked for", async () => {
    const body = { ...shed(), unitId: 2, address: 0, quantity: 2 };
    const { json } = await call("POST", "/api/modbus/read/input-registers", { body });
    expect(json).toMatchObject({
      success: true,
      functionCode: 4,
      functionName: "Read Input Registers",
      ...body,
      data: [expect.any(Number), expect.any(Number)] as unknown,
    });
    const coils = { ...shed(), address: 0, quantity: 8 };
    expect((await call("POST", "/api/modbus/read/coils", { body: coils })).json).toMatchObject({
      functionCode: 1,
      unitId: 1,
      data: Array.from({ length: 8 }, () => false),
    });
    const holding = { ...greenhouse(), unitId: 6, address: 0, quantity: 4 };
    expect((await call("POST", "/api/modbus/read/holding-registers", { body: holding })).json).toMatchObject({
      functionCode: 3,
      data: [1, 6, 6, 0],
    });
    const refused = await call("POST", "/api/modbus/read/discrete-inputs", { body: coils });
    expect(refused).toMatchObject({ status: 502, json: { error: "Device Error", code: "DEVICE_EXCEPTION" } });
  });

  // @proves farm.modbus-api.read farm.rest.codes-device
  test("nonsense costs no byte, a silent unit is 504, a gateway that is not there 502", async () => {
    const before = place.sim.exchanges.length;
    for (const body of [
      { host: "shed.example", address: 0 },
      { host: "127.0.0.1", port: 0, address: 0 },
      { ...shed(), unitId: 256, address: 0 },
      { ...shed(), address: -1 },
      { ...shed(), address: 2.5 },
      { ...shed(), address: 0, quantity: 126 },
      { ...shed(), address: 65_535, quantity: 2 },
      { ...shed(), unitId: 0, address: 0 },
    ]) {
      expect((await call("POST", "/api/modbus/read/coils", { body })).status).toBe(400);
    }
    expect(place.sim.exchanges.length).toBe(before);
    const read = (body: object) => call("POST", "/api/modbus/read/holding-registers", { body });
    expect((await read({ ...shed(), unitId: 77, address: 0 })).status).toBe(504);
    expect((await read({ host: "127.0.0.1", port: 1, address: 0 })).status).toBe(502);
    expect((await call("POST", "/api/modbus/read/coils", { role: "viewer", body: {} })).status).toBe(403);
  });
});

describe("writing by hand", () => {
  // @proves farm.modbus-api.write farm.modbus-api.unit-id
  test("each of the four writes names its unit on the wire and is read back", async () => {
    const coil = { ...greenhouse(), unitId: 6, address: 3, value: true };
    expect((await call("POST", "/api/modbus/write/coil", { ...admin, body: coil })).json).toMatchObject({
      success: true,
      functionCode: 5,
      unitId: 6,
      value: true,
      confirmed: true,
    });
    expect(place.sim.isClosed("greenhouse", 6, 3)).toBe(true);
    const coils = { ...greenhouse(), unitId: 6, address: 1, values: [true, false, true, false, false, true] };
    expect((await call("POST", "/api/modbus/write/coils", { ...admin, body: coils })).json).toMatchObject({
      functionCode: 15,
      quantity: 6,
      confirmed: true,
    });
    const register = { ...shed(), address: 0x2000, value: 5 };
    expect((await call("POST", "/api/modbus/write/register", { ...admin, body: register })).json).toMatchObject({
      functionCode: 6,
      confirmed: true,
    });
    const registers = { ...shed(), address: 0x2000, values: [5] };
    expect((await call("POST", "/api/modbus/write/registers", { ...admin, body: registers })).json).toMatchObject({
      functionCode: 16,
      confirmed: true,
    });
    expect(sent()).toEqual(
      expect.arrayContaining(["6 050003ff00", "6 0f000100060125", "1 0620000005", "1 1020000001020005"]),
    );
  });

  // @proves farm.modbus-api.write farm.modbus-api.write-admin
  test("it is for admins, and values out of bounds cost no byte", async () => {
    const body = { ...shed(), address: 0, value: true };
    expect((await call("POST", "/api/modbus/write/coil", { body })).status).toBe(403);
    const before = place.sim.exchanges.length;
    for (const [path, given] of [
      ["coil", { value: 1 }],
      ["coil", { value: "true" }],
      ["register", { value: 65_536 }],
      ["register", { value: -1 }],
      ["coils", { values: Array.from({ length: 1_969 }, () => true) }],
      ["coils", { values: [1] }],
      ["registers", { values: Array.from({ length: 124 }, () => 0) }],
      ["registers", { values: [] }],
    ] as const) {
      const wrong = await call("POST", `/api/modbus/write/${path}`, {
        ...admin,
        body: { ...shed(), address: 0, ...given },
      });
      expect([path, wrong.status]).toEqual([path, 400]);
    }
    expect(place.sim.exchanges.length).toBe(before);
  });

  // @proves farm.modbus-api.write-registered
  test("a unit that is registered equipment is left alone unless it is forced", async () => {
    const { id } = await call("POST", "/api/equipment", { body: shedRelays(place.addresses) });
    const body = { ...shed(), address: 6, value: true };
    const write = (given: object) => call("POST", "/api/modbus/write/coil", { ...admin, body: given });
    expect(await write(body)).toMatchObject({
      status: 409,
      json: { error: "Conflict", code: "UNIT_IS_REGISTERED", details: { equipment: [id] } },
    });
    // A broadcast would reach it as well.
    expect((await write({ ...body, unitId: 0 })).status).toBe(409);
    expect(place.sim.isClosed("shed", 1, 7)).toBe(false);
    expect((await write({ ...body, force: true })).json).toMatchObject({ confirmed: true });
    expect(place.sim.isClosed("shed", 1, 7)).toBe(true);
    await call("DELETE", `/api/equipment/${id}?force=1`, admin);
  });
});

// @proves farm.board.sht20
test("a climate sensor's inputs 1 and 2 are tenths of a degree and of a percent", async () => {
  const { id } = await call("POST", "/api/equipment", { body: climateSensor(place.addresses) });
  const raw = await call("POST", "/api/modbus/read/input-registers", {
    body: { ...greenhouse(), unitId: 1, address: 1, quantity: 2 },
  });
  const polled = await call("POST", `/api/modbus/polling/device/${id}/poll`);
  const [temperature = 0, humidity = 0] = raw.json["data"] as number[];
  const values = (polled.json["values"] as { name: string; value: number }[]).map(({ value }) => value);
  expect(values[0]).toBeCloseTo(temperature / 10, 0);
  expect(values[1]).toBeCloseTo(humidity / 10, 0);
  await call("DELETE", `/api/equipment/${id}`, admin);
});

// @proves farm.modbus-api.connections farm.modbus-api.polling
test("connections are listed and closed by an admin; polls are looked at, made, stopped and begun again", async () => {
  const { id } = await call("POST", "/api/equipment", { body: soilProbe(place.addresses) });
  const poll = () => call("POST", `/api/modbus/polling/device/${id}/poll`);
  expect((await poll()).json).toMatchObject({
    success: true,
    equipment_id: id,
    values: [{ name: "moisture" }, { name: "temperature" }, { name: "ec" }],
  });
  const gateway = `tcp://127.0.0.1:${place.addresses.shed.port}`;
  expect((await call("GET", "/api/modbus/connections", { role: "viewer" })).json["connections"]).toContainEqual(
    expect.objectContaining({ gateway, connected: true, requests: expect.any(Number) as unknown }),
  );
  const where = `host=127.0.0.1&port=${place.addresses.shed.port}`;
  expect((await call("GET", `/api/modbus/connection/status?${where}`)).json).toMatchObject({ connected: true });
  expect((await call("POST", "/api/modbus/connection/disconnect", { body: { gateway } })).status).toBe(403);
  const connection = () => place.sim.exchanges.findLast(({ gateway: name }) => name === "shed")?.connection ?? 0;
  const before = connection();
  await call("POST", "/api/modbus/polling/stop", admin);
  expect((await call("POST", "/api/modbus/connection/disconnect", { ...admin, body: shed() })).json).toMatchObject({
    disconnected: [gateway],
  });
  expect((await call("GET", `/api/modbus/connection/status?${where}`)).json).toMatchObject({ connected: false });
  expect((await poll()).status).toBe(422);
  expect((await call("GET", "/api/modbus/polling/status", { role: "viewer" })).json).toMatchObject({
    running: false,
  });
  expect((await call("POST", "/api/modbus/polling/start")).status).toBe(403);
  expect((await call("POST", "/api/modbus/polling/start", admin)).json).toMatchObject({ running: true });
  expect((await poll()).json).toMatchObject({ success: true });
  expect(connection()).toBe(before + 1);
  expect((await call("POST", "/api/modbus/polling/refresh")).json).toMatchObject({ devices: 1 });
  const unknown = { gateway: "tcp://10.9.8.7:502" };
  expect((await call("POST", "/api/modbus/connection/disconnect", { ...admin, body: unknown })).status).toBe(404);
  place.sim.unit("shed", 2, { dead: true });
  expect((await poll()).status).toBe(504);
  place.sim.reset();
  await call("DELETE", `/api/equipment/${id}`, admin);
});

// @proves farm.equipment-api.scan-slaves farm.equipment-api.scan-slaves-create farm.function.identification
test("found units tell who they are and become equipment, but for those that are", async () => {
  place.sim.gateway("shed", { deadUnits: "exception", waitMs: 1 });
  const asked = { ...shed(), startSlaveId: 1, endSlaveId: 6, timeout: 9_999, batchSize: -3 };
  const scan = (body: object) => call("POST", "/api/equipment/scan-slaves", { body });
  const { json } = await scan(asked);
  expect(json).toMatchObject({
    totalFound: 4,
    discovered: [{ slave_id: 1 }, { slave_id: 2 }, { slave_id: 3 }, { slave_id: 5 }],
    scanInfo: { timeout: 5_000, batchSize: 1, asked: 6 },
  });
  expect((json["discovered"] as object[])[0]).toMatchObject({ identification: { 1: "Modbus RTU Relay 8CH" } });
  expect((await scan({ ...asked, timeout: 3, batchSize: 500, endSlaveId: 1 })).json).toMatchObject({
    scanInfo: { timeout: 100, batchSize: 50, asked: 1 },
  });
  const bulk = (body: object) => call("POST", "/api/equipment/scan-slaves/create-bulk?shape=parsed", { body });
  const body = { ...shed(), slaves: [{ slave_id: 1, template_id: 3, name: "Shed" }, { slave_id: 2 }] };
  expect(await bulk(body)).toMatchObject({
    status: 201,
    json: {
      count: 2,
      created: [
        { name: "Shed", type: "relay", slave_id: 1, polling_interval_ms: 5_000 },
        { name: "Device 2", slave_id: 2 },
      ],
    },
  });
  expect((await bulk(body)).json).toMatchObject({ count: 0, errors: [{ slave_id: 1 }, { slave_id: 2 }] });
  for (const wrong of [
    { host: "a b" },
    { ...shed(), startSlaveId: 9, endSlaveId: 3 },
    { ...shed(), endSlaveId: 248 },
  ]) {
    expect((await scan(wrong)).status).toBe(400);
  }
  place.sim.reset();
});
