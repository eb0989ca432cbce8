import { writeFile } from "node:fs/promises";
import { createA64Client, createSenseHubCore, type SenseHubCore } from "@steading/sim";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectFarm2025, connectFarm2026, connectFarmSse } from "../support/farm-clients.ts";
import { startHub, type HubProcess } from "../support/hub-process.ts";
import { secret } from "../support/run-record.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const KEY = secret("mcp-static-key-for-bridges-0123456789");
const PASSWORD = secret("hoe by the door");

/** A core that answers as SenseHub's own does, in the test's process, and a hub in front of it in another. */
let core: SenseHubCore;
let coreUrl: string;
let folder: TemporaryFolder;
let hub: HubProcess;
let mcpServer: string;

beforeAll(async () => {
  core = createSenseHubCore();
  coreUrl = await core.start();
  folder = await createTemporaryFolder();
  const config = folder.at("steading.config.yaml");
  await writeFile(config, "access: write\n");
  hub = await startHub({
    data: folder.at("data"),
    config,
    environment: {
      SENSEHUB_API_URL: coreUrl,
      PORT: "0", // SenseHub's MCP server calls its own port so
      MCP_API_KEY: KEY,
      MCP_SENSEHUB_EMAIL: "operator@sensehub.example",
      MCP_SENSEHUB_PASSWORD: PASSWORD,
    },
  });
  mcpServer = String(hub.ready["farm"]).replace(/\/mcp$/, "");
});
afterEach(() => core.knobs.reset());
afterAll(async () => {
  await hub.stop();
  await core.stop();
  await folder.remove();
});

async function logIn(role: string): Promise<string> {
  const answer = await fetch(`${coreUrl}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: `${role}@sensehub.example`, password: PASSWORD }),
  });
  return secret(((await answer.json()) as { token: string }).token);
}

const WAYS = [
  ["Streamable HTTP with a 2025 client", connectFarm2025],
  ["Streamable HTTP with a 2026 client", connectFarm2026],
  ["legacy SSE", connectFarmSse],
] as const;

// @proves farm.mode.bridge farm.setting.mcp-names farm.mode.two-processes farm.double.core
test.each(WAYS)("over %s the eight tools and three resources are those of the core", async (_way, connect) => {
  const client = await connect(`${mcpServer}/mcp`, await logIn("operator"));
  expect(client.serverInfo).toMatchObject({ name: "sensehub", version: "1.0.0" });
  expect(await client.tools()).toHaveLength(8);
  expect(await client.resources()).toHaveLength(3);
  const { json: rows } = await client.call("get_equipment_list", {});
  expect((rows as { name: string }[]).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Greenhouse Temp/Humidity", "Pump Board", "Gate Board"]),
  );
  const before = core.counts["POST /api/equipment/:id/relay/control"] ?? 0;
  const { isError } = await client.call("control_relay", { equipment_id: 2, channel: 1, state: true });
  expect(isError).toBe(false);
  expect(core.counts["POST /api/equipment/:id/relay/control"]).toBe(before + 1);
  expect((await client.read("sensehub://equipment")).json).toHaveLength(3);
  await client.close();
});

// @proves farm.mcp-auth.bridge-forwards farm.mcp-auth.bridge-check
test("each call is made with the caller's own login, and the hub's own tokens never leave it", async () => {
  const viewer = await logIn("viewer");
  const client = await connectFarm2025(`${mcpServer}/mcp`, viewer);
  await client.call("get_automations", {});
  expect(core.requests.findLast(({ url }) => url.startsWith("/api/automations"))?.authorization).toBe(
    `Bearer ${viewer}`,
  );
  const { isError, json } = await client.call("control_relay", { equipment_id: 2, channel: 1, state: true });
  expect([isError, json]).toEqual([true, expect.objectContaining({ status: 403 })]);
  await client.close();

  const own = await connectFarm2025(`${mcpServer}/mcp`, hub.token);
  expect((await own.call("get_alerts", {})).isError).toBe(false);
  await own.close();
  expect(core.requests.filter(({ authorization }) => authorization?.includes(hub.token))).toEqual([]);
});

// @proves farm.mcp-auth.bridge-service-login
test("callers of the fixed key are served by the service's login, which is renewed when it ends", async () => {
  const client = await connectFarm2026(`${mcpServer}/mcp`, KEY);
  expect((await client.call("get_equipment_list", {})).isError).toBe(false);
  core.expireSessions();
  const { isError } = await client.call("control_relay", { equipment_id: 2, channel: 0, state: true });
  expect(isError).toBe(false);
  await client.close();
});

test("wrong input costs the core no request", async () => {
  const client = await connectFarm2025(`${mcpServer}/mcp`, KEY);
  const before = core.counts["POST /api/equipment/:id/relay/control"] ?? 0;
  for (const args of [{ channel: "abc" }, { channel: 2.5 }, { channel: -1 }, { channel: 65_536 }]) {
    const { json } = await client.call("control_relay", { equipment_id: 2, state: true, ...args });
    expect(json).toMatchObject({ status: 400, retryable: false });
  }
  for (const state of ["false", 1, null]) {
    const { json } = await client.call("control_relay", { equipment_id: 2, channel: 1, state });
    expect(json).toMatchObject({ status: 400, retryable: false });
  }
  expect(core.counts["POST /api/equipment/:id/relay/control"] ?? 0).toBe(before);
  await client.close();
});

// @proves farm.mcp.health-degraded farm.tool.error-core-down
test("a core that is away is 503 with degraded and an error result, and all is well when it is back", async () => {
  const client = await connectFarm2025(`${mcpServer}/mcp`, KEY);
  core.knobs.down = true;
  const { isError, json } = await client.call("get_automations", {});
  expect([isError, json]).toEqual([true, expect.objectContaining({ status: 503, retryable: true })]);
  const degraded = await fetch(`${mcpServer}/health`);
  expect([degraded.status, await degraded.json()]).toEqual([503, { status: "degraded" }]);
  core.knobs.reset();
  await expect.poll(async () => (await client.call("get_automations", {})).isError).toBe(false);
  await expect.poll(async () => (await fetch(`${mcpServer}/health`)).status).toBe(200);
  await client.close();
});

test("a hub whose core is not there yet starts, says that it is degraded, and serves as soon as the core comes", async () => {
  const late = createSenseHubCore();
  const url = await late.start();
  await late.stop();
  const config = folder.at("late.config.yaml");
  await writeFile(config, `farm: {port: 0, bridge: {url: "${url}"}}\n`);
  const second = await startHub({ data: folder.at("late"), config, environment: { MCP_API_KEY: KEY } });
  const health = async (): Promise<unknown[]> => {
    const answer = await fetch(String(second.ready["farm"]).replace(/\/mcp$/, "/health"));
    return [answer.status, await answer.json()];
  };
  try {
    expect(await health()).toEqual([503, { status: "degraded" }]);
    const client = await connectFarm2025(String(second.ready["farm"]), KEY);
    expect(await client.tools()).toHaveLength(8);
    await late.start();
    // Nobody gave the bridge a login of its own, and that is said.
    const { isError, json } = await client.call("get_equipment_list", {});
    expect([isError, json]).toEqual([
      true,
      expect.objectContaining({ status: 503, message: expect.stringContaining("MCP_SENSEHUB_EMAIL") as unknown }),
    ]);
    await client.close();
    await expect.poll(health).toEqual([200, { status: "ok" }]);
  } finally {
    await second.stop();
    await late.stop();
  }
});

test("the backend that exists works through it as it does without", async () => {
  const user = { email: "operator@sensehub.example", password: PASSWORD };
  const client = createA64Client({ core: coreUrl, mcp: mcpServer, ...user });
  expect(await client.mcp.equipment()).toHaveLength(3);
  await client.mcp.controlRelay(2, 2, true);
  core.expireSessions();
  // The call that finds out is answered with the core's own refusal; from the next one on it is 401, login, and again.
  await expect.poll(() => client.mcp.equipment()).toHaveLength(3);
  expect(client.http.logins).toBe(2);
});
