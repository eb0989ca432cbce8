import { greenhouseRelays, shedRelays } from "@steading/farm/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectFarm2025, connectFarm2026, connectFarmSse, type FarmClient } from "../support/farm-clients.ts";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";

let place: FarmHub;
let board: number;
let rtuBoard: number;
const clients: Record<string, FarmClient> = {};

beforeAll(async () => {
  place = await startFarmHub();
  board = await place.addEquipment(shedRelays(place.addresses));
  rtuBoard = await place.addEquipment(greenhouseRelays(place.addresses));
  const token = await place.logIn(await place.addUser("operator"));
  const mcp = `${place.mcpServer}/mcp`;
  clients["2025"] = await connectFarm2025(mcp, token);
  clients["2026"] = await connectFarm2026(mcp, token);
  clients["SSE"] = await connectFarmSse(mcp, token);
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.close()));
  await place.tidy();
});
/** The judge is the other end of the wire: nothing that writes was ever put on it, by whatever way it was tried. */
afterEach(() => {
  const written = place.writes().map(({ gateway, unit, request }) => `${gateway} ${unit} ${request}`);
  if (written.length > 0) throw new Error(`Bytes went out: ${written.join(", ")}`);
});

/** Wrong in one way each; the rest of the request is right. JSON text, because an object cannot say 1e400. */
const WRONG: readonly (readonly [what: string, channel: string, state: string])[] = [
  ["channel abc", '"abc"', "true"],
  ["channel 2.5", "2.5", "true"],
  ["channel -1", "-1", "true"],
  ["channel 65536", "65536", "true"],
  ["channel 2 as text", '"2"', "true"],
  ["channel null", "null", "true"],
  ["channel true", "true", "true"],
  ["channel as a list", "[2]", "true"],
  ["channel beyond every number", "1e400", "true"],
  ["a channel that is not mapped", "8", "true"],
  ["the state false as text", "2", '"false"'],
  ["the state 1", "2", "1"],
  ["the state 0", "2", "0"],
  ["the state null", "2", "null"],
  ["the state on", "2", '"on"'],
  ["the state as an object", "2", '{"on":true}'],
];

// @proves farm.relay.state-boolean farm.relay.channel-mapped
test.each(WRONG)("over REST, %s is 400 with the reason, and costs no byte", async (_what, channel, state) => {
  for (const id of [board, rtuBoard]) {
    const path = `/api/equipment/${id}/relay/control`;
    const { status, json } = await place.rest("POST", path, { body: `{"channel":${channel},"state":${state}}` });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: "Bad Request",
      message: expect.stringMatching(/channel|state|JSON/i) as unknown,
    });
  }
});

// @proves farm.relay.state-boolean farm.relay.channel-mapped farm.tool.error-400
test.each(WRONG.filter(([, channel]) => channel !== "1e400"))(
  "over MCP, %s is an error result with status 400, and costs no byte",
  async (_what, channel, state) => {
    for (const [way, client] of Object.entries(clients)) {
      const args = JSON.parse(`{"equipment_id":${board},"channel":${channel},"state":${state}}`) as object;
      const { isError, json } = await client.call("control_relay", { ...args });
      expect([way, isError]).toEqual([way, true]);
      expect(json).toMatchObject({
        status: 400,
        retryable: false,
        message: expect.stringMatching(/channel|state/) as unknown,
      });
    }
  },
);

test("a request without a channel or a state switches nothing, whichever is missing", async () => {
  for (const args of [{ state: true }, { channel: 2 }, {}]) {
    const { status } = await place.rest("POST", `/api/equipment/${board}/relay/control`, { body: args });
    expect(status).toBe(400);
    for (const client of Object.values(clients)) {
      const { isError, json } = await client.call("control_relay", { equipment_id: board, ...args });
      expect([isError, json]).toEqual([true, expect.objectContaining({ status: 400 })]);
    }
  }
});

test("several at once with one wrong among them switch nothing at all", async () => {
  const path = `/api/equipment/${board}/relay/all`;
  for (const states of [{ 0: true, abc: true }, { 0: true, 8: true }, { 0: true, 1: "true" }, { 0: 1 }, [true], "on"]) {
    const { status } = await place.rest("POST", path, { body: { states } });
    expect([states, status]).toEqual([states, 400]);
  }
});

test.each([
  ["equipment that is not there", '{"equipment_id":999,"channel":2,"state":true}', 404],
  ["equipment as text", '{"equipment_id":"1","channel":2,"state":true}', 400],
  ["equipment 1.5", '{"equipment_id":1.5,"channel":2,"state":true}', 400],
  ["equipment null", '{"equipment_id":null,"channel":2,"state":true}', 400],
])("over MCP, %s is an error result, and costs no byte", async (_what, args, status) => {
  for (const client of Object.values(clients)) {
    const { isError, json } = await client.call("control_relay", JSON.parse(args) as Record<string, unknown>);
    expect([isError, json]).toEqual([true, expect.objectContaining({ status, retryable: false })]);
  }
});

// @proves farm.rights.viewer-no-write farm.mcp-auth.viewer-write farm.mcp-auth.caller-role farm.tool.error-403
test("whoever may only look switches nothing, by either way", async () => {
  const token = await place.logIn(await place.addUser("viewer"));
  const body = { channel: 2, state: true };
  expect(await place.rest("POST", `/api/equipment/${board}/relay/control`, { body, token })).toMatchObject({
    status: 403,
  });
  for (const connect of [connectFarm2025, connectFarm2026, connectFarmSse]) {
    const client = await connect(`${place.mcpServer}/mcp`, token);
    const { isError, json } = await client.call("control_relay", { equipment_id: board, ...body });
    await client.close();
    expect([isError, json]).toEqual([true, expect.objectContaining({ status: 403, retryable: false })]);
  }
});
