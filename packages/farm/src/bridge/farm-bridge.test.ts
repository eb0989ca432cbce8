import { createManualClock, seconds, type ManualClock } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTrialFarm } from "../testing/trial-farm.ts";
import { send, startReferenceCore, type ReferenceCore } from "./testing/reference-core.ts";
import { createTrialBridge, type TrialBridge } from "./testing/trial-bridge.ts";

const service = { email: "bridge@farm.example", password: "a password" };
let clock: ManualClock;
let core: ReferenceCore;
let trial: TrialBridge;
beforeEach(async () => {
  clock = createManualClock();
  core = await startReferenceCore();
  trial = createTrialBridge({ url: core.url, service, clock });
});
afterEach(async () => {
  await trial.stop();
  await core.close();
});

const start = (): Promise<void> => trial.bridge.start(new AbortController().signal);
type Row = Record<string, unknown>;

describe("the same farm", () => {
  // @proves farm.tool.names farm.tool.schemas
  test("the bridge shows the tools and resources of the embedded farm, and nothing else", () => {
    const farm = createTrialFarm();
    const shown = (tools: TrialBridge["bridge"]["toolsets"]) =>
      tools[0]?.tools.map(({ name, inputSchema, outputSchema, annotations, description }) => [
        name,
        inputSchema,
        outputSchema,
        annotations,
        description(),
      ]);
    expect(shown(trial.bridge.toolsets)).toHaveLength(8);
    expect(shown(trial.bridge.toolsets)).toEqual(shown(farm.part.toolsets));
    const listed = (part: Pick<TrialBridge["bridge"], "resources">) =>
      part.resources?.[0]?.list(
        { principal: "a", role: "viewer", transport: "internal", correlation: "c" },
        { limit: 9 },
      );
    expect(listed(trial.bridge)).toEqual(listed(farm.part));
  });

  test("names of the core's equipment, zones and automations get into the descriptions a second later", async () => {
    const told = vi.fn<() => void>();
    trial.bridge.toolsets[0]?.onChange?.(told);
    await start();
    await clock.advance(seconds(1));
    const text = (name: string) => trial.bridge.toolsets[0]?.tools.find((tool) => tool.name === name)?.description();
    expect(told).toHaveBeenCalledTimes(1);
    expect(text("get_equipment_list")).toBe(
      "List all SenseHub equipment with current status, type, zone, and latest readings. Available: 'Air (ID 2, sensor)', 'Relay board (ID 1, relay)' Zones: 'Farm', 'Shed'",
    );
    expect(text("control_relay")).toContain("'Relay board (ID 1)' channels 0 Water Pump, 1 r1");
    expect(text("toggle_automation")).toContain("'Water (ID 5, enabled)'");
    core.equipment[0]!["name"] = "Pumps";
    await clock.advance(seconds(5));
    await vi.waitFor(async () => {
      await clock.advance(seconds(1));
      expect(text("get_equipment_list")).toContain("'Pumps (ID 1, relay)'");
    });
    expect(told).toHaveBeenCalledTimes(2);
  });
});

describe("each tool makes the call of its row and no other", () => {
  const rows: [string, Row, string[]][] = [
    ["get_equipment_list", {}, ["GET /api/equipment"]],
    ["get_sensor_readings", { equipment_id: 2 }, ["GET /api/equipment/2/history"]],
    ["get_automations", {}, ["GET /api/automations"]],
    ["get_alerts", {}, ["GET /api/alerts"]],
    ["get_system_status", {}, ["GET /api/system/info", "GET /api/health"]],
    ["control_relay", { equipment_id: 1, channel: 1, state: true }, ["POST /api/equipment/1/relay/control"]],
    ["trigger_automation", { automation_id: 5 }, ["POST /api/automations/5/trigger"]],
    ["toggle_automation", { automation_id: 5 }, ["POST /api/automations/5/toggle"]],
  ];
  // @proves farm.mode.bridge-calls
  test.each(rows)("%s", async (tool, args, calls) => {
    await trial.answer(tool, args);
    expect(core.calls()).toEqual(calls);
  });
});

describe("the reference's habits are put into our own shape", () => {
  // @proves farm.tool.rows-equipment farm.model.mcp-parsed farm.model.times-emitted
  test("equipment has real booleans, parsed columns, one form of time and its channels", async () => {
    const { structured, text } = await trial.answer("get_equipment_list");
    expect(structured).toEqual({ equipment: text, count: 2 });
    const [air, board] = text as Row[];
    expect(board).toMatchObject({
      id: 1,
      enabled: true,
      write_only: false,
      register_mappings: [{ name: "r0", label: "Water Pump" }, { name: "r1" }],
      last_reading: { relayStates: { 0: true, 1: false } },
      created_at: "2025-01-02T03:04:05.000Z",
      updated_at: "2025-01-02T03:04:05.678Z",
      channels: [
        { channel: 0, name: "r0", label: "Water Pump", state: true, confirmed_at: null },
        { channel: 1, name: "r1", label: null, state: false, confirmed_at: null },
      ],
    });
    expect(air).toMatchObject({ status: "error", reading_age_seconds: 10 });
    const { text: few } = await trial.answer("get_equipment_list", { detail: "summary", search: "AIR" });
    expect(few).toEqual([
      { id: 2, name: "Air", type: "sensor", zone: "", status: "error", values: { temperature: 21.5 }, channels: {} },
    ]);
    expect((await trial.answer("get_equipment_list", { status: "online" })).structured["count"]).toBe(1);
  });

  test("a zone is found by id or name with the zones inside it, although the core ignores the filter", async () => {
    expect(await trial.refusal("get_equipment_list", { zone: "Shed" })).toMatchObject({ status: 503, retryable: true });
    await start();
    for (const zone of ["shed", "2", "Farm"]) {
      const { text } = await trial.answer("get_equipment_list", { zone });
      expect(text).toMatchObject([{ id: 1, zone: "Shed", zones: [{ id: 2, name: "Shed" }] }]);
    }
    expect((await trial.answer("get_equipment_list", { zone: "Moon" })).text).toEqual([]);
  });

  test("a core that does not tell what stands in its zones cannot be asked by zone, and by everything else it can", async () => {
    core.trouble("/api/zones/", (response) => send(response, 404, { error: "Not Found" }));
    await start();
    expect(await trial.refusal("get_equipment_list", { zone: "Shed" })).toMatchObject({ status: 503, retryable: true });
    expect((await trial.answer("get_equipment_list")).structured["count"]).toBe(2);
    await clock.advance(seconds(1));
    const described = trial.bridge.toolsets[0]?.tools.map((tool) => tool.description()).join(" ");
    expect(described).toContain("Zones: 'Farm', 'Shed'");
    expect(described).toContain("'Water (ID 5, enabled)'");
  });

  test("equipment without a past that is not there at all is 404", async () => {
    core.trouble("/api/equipment/44/history", (response) => send(response, 200, { readings: [], total: 0, stats: {} }));
    await start();
    expect(await trial.refusal("get_sensor_readings", { equipment_id: 44 })).toMatchObject({ status: 404 });
  });

  test("readings come newest first by instant, numbers only, one metric when asked", async () => {
    const { structured } = await trial.answer("get_sensor_readings", { equipment_id: 2 });
    expect(structured).toMatchObject({ total: 40, limit: 10, offset: 0 });
    expect((structured["readings"] as Row[]).map(({ value, timestamp }) => [value, timestamp])).toEqual([
      [22.5, "2025-12-31T12:30:00.000Z"],
      [55, "2025-12-31T12:29:00.000Z"],
      [21.5, "2025-12-31T12:00:00.000Z"],
    ]);
    expect(structured["stats"]).toMatchObject({ temperature: { avg: 22, count: 30 }, humidity: { count: 10 } });
    const one = { equipment_id: 2, metric: "humidity", limit: 1, from: "2025-12-31T16:00:00+04:00" };
    expect((await trial.answer("get_sensor_readings", one)).structured).toMatchObject({
      readings: [{ name: "humidity", value: 55 }],
      total: 10,
      limit: 1,
    });
    expect(core.seen.at(-1)?.query).toContain("from=2025-12-31T12%3A00%3A00.000Z");
  });

  test("stretches of time are added up from the page, without the one that the page cuts", async () => {
    const wanted = { equipment_id: 2, metric: "temperature" };
    const hour = await trial.answer("get_sensor_readings", { ...wanted, bucket: "1h" });
    expect(hour.structured).toMatchObject({ readings: [], total: 0, truncated: true });
    const { structured } = await trial.answer("get_sensor_readings", { ...wanted, bucket: "20m" });
    expect(structured["readings"]).toEqual([
      {
        equipment_id: 2,
        name: "temperature",
        value: 22.5,
        min: 22.5,
        max: 22.5,
        count: 1,
        unit: "C",
        timestamp: "2025-12-31T12:20:00.000Z",
      },
    ]);
    expect(core.seen.at(-1)?.query).toContain("limit=1000");
    expect(await trial.refusal("get_sensor_readings", { ...wanted, bucket: "often" })).toMatchObject({ status: 400 });
  });

  test("automations are parsed and carry their schedule in words", async () => {
    const { text } = await trial.answer("get_automations");
    expect(text).toMatchObject([
      {
        id: 5,
        enabled: true,
        conditions: [],
        actions: [{ type: "control" }],
        last_run: "2025-12-31T06:30:00.000Z",
        schedule: "Daily at 06:30",
      },
    ]);
  });

  // @proves farm.tool.alerts-acknowledged-text
  test("alerts are asked for with the words the reference knows, and come newest first", async () => {
    const ids = async (args: Row) => ((await trial.answer("get_alerts", args)).text as Row[]).map(({ id }) => id);
    expect(await ids({})).toEqual([9, 8]);
    expect(await ids({ acknowledged: false })).toEqual([9]);
    expect(core.seen.at(-1)?.query).toContain("acknowledged=false");
    expect(await ids({ acknowledged: "true" })).toEqual([8]);
    expect(await ids({ severity: "info" })).toEqual([8]);
  });

  test("the system's answer has health, and not where the database lies", async () => {
    const { structured } = await trial.answer("get_system_status");
    expect(structured).toMatchObject({
      version: "2.3.4",
      uptime: 77,
      armed: true,
      health: { status: "ok", database: "connected" },
      database: { connected: true },
    });
    expect(JSON.stringify(structured)).not.toContain("sensehub.db");
  });

  test("the three resources are the same lists", async () => {
    const caller = await trial.person((core.tokens.set("anna", "viewer"), "anna"));
    const read = async (name: string) => {
      const content = await trial.bridge.resources?.[0]?.read(`sensehub://${name}`, caller);
      return JSON.parse(content?.text ?? "null") as unknown;
    };
    expect(await read("equipment")).toEqual((await trial.answer("get_equipment_list")).text);
    expect(await read("automations")).toEqual((await trial.answer("get_automations")).text);
    expect(await read("alerts")).toEqual((await trial.answer("get_alerts", { acknowledged: false })).text);
    expect(await read("crops")).toBeNull();
  });
});
