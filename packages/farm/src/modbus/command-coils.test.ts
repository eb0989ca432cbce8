import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
let written: number[];
beforeEach(async () => {
  written = [];
  farm = await startBoardFarm(clock, (bytes) => {
    if (bytes[7] === 5) written.push(bytes.readUInt16BE(8));
  });
  api = createTrialApi(farm);
});
afterEach(() => farm.stop());

const coil = (register: number | string, more: object = {}) => ({
  name: `c${register}`,
  register,
  type: "coil",
  access: "readwrite",
  ...more,
});
const board = (...mappings: object[]) => ({ body: { ...BOARD, register_mappings: mappings } });
const refused = { status: 400, json: { message: expect.stringContaining("4.6") as unknown } };

test("the coils that switch or turn a whole board are no channel of it, and are refused when they are saved", async () => {
  for (const register of [0x00ff, 0x01ff, "255", "511"]) {
    expect(await api.call("POST", "/api/equipment", board(coil(0), coil(register)))).toMatchObject(refused);
  }
  const byCode = { name: "all", address: 255, functionCode: 1, access: "readwrite" };
  expect(await api.call("POST", "/api/equipment", board(byCode))).toMatchObject(refused);
  const { id } = await api.call("POST", "/api/equipment", board(coil(0)));
  expect(await api.call("PUT", `/api/equipment/${id}`, board(coil(511)))).toMatchObject(refused);
  const template = { body: { name: "T", category: "relay", register_mappings: [coil(255)] } };
  expect(await api.call("POST", "/api/templates", template)).toMatchObject(refused);
});

test("the same addresses of other kinds, and their neighbours, are nothing special", async () => {
  const mappings = [
    coil(254),
    coil(256),
    coil(510),
    coil(0x0200),
    coil(0x0400),
    coil(255, { name: "read", access: "read" }),
    coil(511, { name: "h", type: "holding" }),
  ];
  expect(await api.call("POST", "/api/equipment", board(...mappings))).toMatchObject({ status: 201 });
});

test("a coil that takes a time is no channel with a time of its own", async () => {
  for (const register of [0x0200, 0x021f, 0x0400]) {
    const mapping = coil(register, { onBoardPulse: true });
    expect(await api.call("POST", "/api/equipment", board(mapping))).toMatchObject(refused);
  }
});

test("a board from an older hub that has them as channels never gets them written, not even by a stop", async () => {
  const row = { ...BOARD, register_mappings: [coil(0, { onBoardPulse: true }), coil(255), coil(511), coil(0x0200)] };
  const { id } = await farm.core.book.create(row as never, "test"); // past the schema, as a row that was stored is
  const control = (channel: number, state: boolean) =>
    api.call("POST", `/api/equipment/${id}/relay/control`, { body: { channel, state } });
  for (const channel of [255, 511, 0x0200]) {
    expect((await control(channel, true)).status).toBe(400);
    expect((await control(channel, false)).status).toBe(400);
  }
  const stopping = api.call("POST", "/api/automations/stop-all", { body: { scope: "all" } });
  await clock.advance(seconds(1));
  expect((await stopping).json).toMatchObject({
    success: true,
    equipment: [{ channels: [{ channel: 0, off: true }] }],
  });
  expect(written).toEqual([0]);
});

test("512 coils of something that counts no time are 510 channels at least", async () => {
  const plain = board(...[0x0200, 0x0205, 0x0400].map((register) => coil(register)));
  const { id } = await api.call("POST", "/api/equipment", plain);
  const on = api.call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 0x0205, state: true } });
  await clock.advance(seconds(1));
  expect((await on).status).toBe(200);
});
