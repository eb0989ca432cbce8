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

test("stop-all over REST opens contacts and disarms; an operator stops, an admin alone arms again", async () => {
  const [board] = boards;
  const token = await place.logIn(user);
  const on = { channel: 3, state: true };
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body: on })).toMatchObject({
    status: 200,
  });
  const stop = { scope: "all", disarm: true, reason: "a pipe burst" };
  const stopped = await place.rest("POST", "/api/automations/stop-all", { body: stop, token });
  expect(stopped).toMatchObject({ status: 200, json: { success: true, disarmed: true } });
  expect(anyClosed()).toBe(false);
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body: on })).toMatchObject({
    status: 409,
  });
  const arm = { armed: true };
  expect(await place.rest("POST", "/api/automations/arming", { body: arm, token })).toMatchObject({ status: 403 });
  expect(await place.rest("POST", "/api/automations/arming", { body: arm })).toMatchObject({
    status: 200,
    json: { armed: true },
  });
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body: on })).toMatchObject({
    status: 200,
  });
});

// @proves farm.settings-api.backup
test("a backup made over REST is taken up at the next start, which then switches nothing until it is armed", async () => {
  const [board] = boards;
  const { json } = await place.rest("POST", "/api/settings/backup");
  const { name } = json as { name: string };
  expect(json).toMatchObject({ success: true, bytes: expect.any(Number) as number });
  const later = await place.rest("POST", "/api/zones", { body: { name: "Made after the backup" } });
  expect(later).toMatchObject({ status: 201 });
  expect(await place.rest("POST", "/api/settings/restore", { body: { name: "../../etc" } })).toMatchObject({
    status: 400,
  });
  expect(await place.rest("POST", "/api/settings/restore", { body: { name } })).toMatchObject({ status: 202 });
  await client.close();
  await place.restart();
  client = await connectFarm2026(`${place.mcpServer}/mcp`, await place.logIn(user));
  expect((await place.rest("GET", "/api/zones")).json).toEqual([]);
  const { isError, json: refused } = await client.call("control_relay", {
    equipment_id: board,
    channel: 1,
    state: true,
  });
  expect([isError, refused]).toEqual([true, expect.objectContaining({ status: 409, rule: "disarmed" })]);
});
