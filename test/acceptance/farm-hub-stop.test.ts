import { greenhouseRelays, shedRelays } from "@steading/farm/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectFarm2026, type FarmClient } from "../support/farm-clients.ts";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";

let place: FarmHub;
let client: FarmClient;
let user: { readonly email: string; readonly password: string };
let boards: readonly number[];
beforeAll(async () => {
  place = await startFarmHub();
  boards = [
    await place.addEquipment(shedRelays(place.addresses)),
    await place.addEquipment(greenhouseRelays(place.addresses)),
  ];
  user = await place.addUser("operator");
  client = await connectFarm2026(`${place.mcpServer}/mcp`, await place.logIn(user));
});
afterAll(async () => {
  await client.close();
  await place.tidy();
});

const anyClosed = (): boolean =>
  [1, 2, 3, 4, 5, 6, 7, 8].some((channel) => place.sim.isClosed("shed", 1, channel)) ||
  [1, 2, 3, 4, 5, 6].some((channel) => place.sim.isClosed("greenhouse", 6, channel));

// @proves farm.disarm.blocks-on farm.disarm.persisted
test("an emergency stop opens every contact, and nothing closes one until a person has armed the hub", async () => {
  for (const equipment_id of boards) {
    const { isError } = await client.call("control_relay", { equipment_id, channel: 2, state: true });
    expect(isError).toBe(false);
  }
  expect(anyClosed()).toBe(true);
  await place.steading("estop");
  expect(anyClosed()).toBe(false);

  const before = place.writes().length;
  const [board] = boards;
  const { isError, json } = await client.call("control_relay", { equipment_id: board, channel: 2, state: true });
  expect([isError, json]).toEqual([
    true,
    expect.objectContaining({
      status: 409,
      retryable: false,
      rule: "disarmed",
      message: expect.stringContaining("arm") as unknown,
    }),
  ]);
  const body = { channel: 2, state: true };
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body })).toMatchObject({ status: 409 });
  const on = { type: "control", equipment_id: board, channel: 2, action: "on" };
  const automation = { name: "On", trigger_config: { type: "manual" }, actions: [on] };
  const made = await place.rest("POST", "/api/automations", { body: automation });
  await place.rest("POST", `/api/automations/${(made.json as { id: number }).id}/trigger`);
  expect(place.writes()).toHaveLength(before);
  expect((await client.call("get_system_status", {})).json).toMatchObject({ armed: false });
  // Off always works.
  expect((await client.call("control_relay", { equipment_id: board, channel: 2, state: false })).isError).toBe(false);

  await client.close();
  await place.restart();
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body })).toMatchObject({ status: 409 });
  expect(anyClosed()).toBe(false);

  client = await connectFarm2026(`${place.mcpServer}/mcp`, await place.logIn(user));
  await place.steading("arm");
  expect((await client.call("control_relay", { equipment_id: board, channel: 2, state: true })).isError).toBe(false);
  expect((await client.call("get_system_status", {})).json).toMatchObject({ armed: true });
});
