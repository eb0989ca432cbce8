import { createManualClock, millis, seconds } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answer, BOARD, refusal, startBoardFarm } from "../testing/board-farm.ts";
import { caller, type TrialFarm } from "../testing/trial-farm.ts";

const by = "anna";
const clock = createManualClock();
let farm: TrialFarm;
beforeEach(async () => void (farm = await startBoardFarm(clock)));
afterEach(() => farm.stop());

describe("reading", () => {
  // @proves farm.tool.equipment-list farm.tool.text farm.tool.structured farm.tool.rows-equipment farm.model.mcp-parsed farm.model.times-emitted
  // @proves farm.equipment.zones-channels farm.equipment.last-reading-relay farm.tool.status-accepts-five farm.tool.unknown-keys farm.tool.equipment-limit
  test("equipment is an array in the text and wrapped beside it, filtered by status, zone, search and limit", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    await farm.core.book.create({ name: "Another", enabled: false }, by);
    const zone = await farm.core.zones.create({ name: "Shed" }, by);
    await farm.core.zones.link(zone.id, id, by);
    await clock.advance(millis(10));
    const all = await answer(farm, "get_equipment_list", { nonsense: 1 });
    expect(all.text).toMatchObject([{ name: "Another" }, { name: "Relay board" }]);
    expect(all.structured).toMatchObject({ count: 2, equipment: all.text as object });
    expect(all.raw).not.toContain("\n");
    const [row] = (await answer(farm, "get_equipment_list", { zone: "shed", status: "online" })).text as Record<
      string,
      unknown
    >[];
    expect(row).toMatchObject({
      id,
      enabled: true,
      write_only: false,
      zone: "Shed",
      zones: [{ id: zone.id, name: "Shed" }],
      last_reading: { relayStates: { 0: false, 1: false, 2: false } },
      register_mappings: [{ name: "r0" }, { name: "r1" }, { name: "r2" }],
    });
    expect(row?.["channels"]).toMatchObject([{ channel: 0, name: "r0", label: "Water Pump", state: false }, {}, {}]);
    expect(row?.["created_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await answer(farm, "get_equipment_list", { status: "disabled" })).text).toMatchObject([
      { name: "Another" },
    ]);
    expect((await answer(farm, "get_equipment_list", { search: "RELAY" })).structured["count"]).toBe(1);
    expect((await answer(farm, "get_equipment_list", { limit: 1 })).structured["count"]).toBe(1);
    expect(await refusal(farm, "get_equipment_list", { status: "broken" })).toMatchObject({
      status: 400,
      retryable: false,
    });
  });

  test("the list as it was made before is what would be made of it", async () => {
    await farm.core.book.create({ ...BOARD, name: 'Board "A"\\ \u2028 ü' }, by);
    await clock.advance(seconds(2));
    const call = { tool: "get_equipment_list", arguments: {}, caller: caller("viewer") };
    const result = await farm.dispatcher.call(call);
    if (result.kind !== "answer") throw new Error("It should have been answered.");
    expect(result.encoded?.structured).toBe(JSON.stringify(result.structured));
    expect(result.encoded?.text).toBe(JSON.stringify(result.text));
  });

  // @proves farm.tool.equipment-summary
  test("a summary stays under 250 bytes a device", async () => {
    for (let i = 0; i < 50; i += 1) await farm.core.book.create({ ...BOARD, name: `Relay board number ${i}` }, by);
    await clock.advance(seconds(2));
    const { raw, structured } = await answer(farm, "get_equipment_list", { detail: "summary" });
    expect(structured["count"]).toBe(50);
    expect(Buffer.byteLength(raw) / 50).toBeLessThan(250);
  });

  // @proves farm.tool.sensor-readings farm.tool.sensor-readings-limit farm.model.instants-compared farm.tool.integers farm.tool.error-404
  test("readings come newest first, ten unless told, within times of any zone", async () => {
    const equipment = await farm.core.book.create({ name: "Probe", type: "sensor" }, by);
    const start = clock.now();
    for (let i = 0; i < 15; i += 1) {
      await farm.core.readings.posted(equipment, [
        { name: "temperature", value: 20 + i, unit: "C", at: start + i * 1_000 },
      ]);
    }
    await clock.advance(seconds(20));
    const { structured } = await answer(farm, "get_sensor_readings", { equipment_id: equipment.id });
    expect(structured).toMatchObject({ total: 15, limit: 10, offset: 0 });
    expect(structured["stats"]).toEqual({ temperature: { avg: 27, min: 20, max: 34, unit: "C", count: 15 } });
    const rows = structured["readings"] as Record<string, unknown>[];
    expect(rows.map(({ value }) => value)).toEqual([34, 33, 32, 31, 30, 29, 28, 27, 26, 25]);
    expect(rows[0]).toMatchObject({ equipment_id: equipment.id, name: "temperature", unit: "C" });
    const from = new Date(start + 13_000 + 4 * 3_600_000).toISOString().replace("Z", "+04:00");
    const late = await answer(farm, "get_sensor_readings", { equipment_id: equipment.id, from, limit: 2_000 });
    expect(late.structured).toMatchObject({ total: 2, limit: 1_000 });
    expect(await refusal(farm, "get_sensor_readings", { equipment_id: 77 })).toMatchObject({
      status: 404,
      retryable: false,
    });
    expect((await refusal(farm, "get_sensor_readings", { equipment_id: 77 }))["message"]).toContain("77");
    for (const equipment_id of [3.5, "3", null]) {
      expect(await refusal(farm, "get_sensor_readings", { equipment_id })).toMatchObject({ status: 400 });
    }
    expect(await refusal(farm, "get_sensor_readings", { equipment_id: equipment.id, from: "soon" })).toMatchObject({
      status: 400,
    });
  });

  // @proves farm.tool.sensor-readings-range
  test("readings are bounded by from and to, and narrowed to a metric and to buckets of time", async () => {
    const equipment = await farm.core.book.create({ name: "Probe", type: "sensor" }, by);
    const hour = 3_600_000;
    const start = Math.ceil(clock.now() / hour) * hour;
    await clock.advance(millis(start + 4 * hour - clock.now()));
    for (let minute = 0; minute < 180; minute += 10) {
      const at = start + minute * 60_000;
      await farm.core.readings.posted(equipment, [
        { name: "temperature", value: minute, unit: "C", at },
        { name: "humidity", value: 50, unit: "%", at },
      ]);
    }
    const ask = async (args: object) =>
      (await answer(farm, "get_sensor_readings", { equipment_id: equipment.id, limit: 100, ...args })).structured;
    const iso = (at: number): string => new Date(at).toISOString();
    const within = { from: iso(start + hour), to: iso(start + 2 * hour) };
    expect(await ask({ ...within, metric: "temperature" })).toMatchObject({
      total: 7, // both ends are part of it
      stats: { temperature: { min: 60, max: 120, count: 7 } },
    });
    const { readings, stats, total } = await ask({ from: iso(start), metric: "temperature", bucket: "1h" });
    expect(readings).toMatchObject([
      { value: 145, min: 120, max: 170, count: 6, name: "temperature", unit: "C", timestamp: iso(start + 2 * hour) },
      { value: 85, min: 60, max: 110, count: 6, timestamp: iso(start + hour) },
      { value: 25, min: 0, max: 50, count: 6, timestamp: iso(start) },
    ]);
    expect(stats).toEqual({ temperature: { avg: 85, min: 0, max: 170, unit: "C", count: 18 } });
    expect(total).toBe(3);
    expect(await ask({ bucket: "1d" })).toMatchObject({ total: 2 }); // both metrics, the newest days without a from
    expect(((await ask({ bucket: "30m", limit: 2 }))["readings"] as unknown[]).length).toBe(2);
    expect(await ask({ metric: "wind" })).toMatchObject({ total: 0, readings: [], stats: {} });
    for (const [args, told] of [
      [{ bucket: "fortnight" }, "bucket"],
      [{ bucket: "0m" }, "bucket"],
      [{ bucket: "1s", from: iso(0) }, "too narrow"],
      [{ from: within.to, to: within.from }, "before"],
      [{ from: within.to, to: within.from, bucket: "1h" }, "before"],
    ] as const) {
      const refused = await refusal(farm, "get_sensor_readings", { equipment_id: equipment.id, ...args });
      expect(refused).toMatchObject({ status: 400, retryable: false });
      expect(refused["message"]).toContain(told);
    }
  });

  // @proves farm.tool.alerts-severity farm.tool.alerts-acknowledged-false farm.tool.alerts-acknowledged-true farm.tool.alerts-acknowledged-text
  // @proves farm.tool.alerts-default farm.tool.alerts-limit farm.alert.joined-names
  test("alerts by severity and acknowledgement, newest first, two hundred at most", async () => {
    const { alerts } = farm.core;
    const { id: probe } = await farm.core.book.create({ name: "Probe" }, by);
    const raise = (message: string, fingerprint?: string) =>
      alerts.raise({
        severity: message === "hot" ? "critical" : "info",
        message,
        source: "rest",
        equipmentId: probe,
        fingerprint,
      });
    await raise("open");
    await alerts.acknowledge((await raise("seen")).id, by);
    await alerts.acknowledge((await raise("over", "x")).id, by);
    await alerts.clear("x");
    await raise("hot", "y");
    await alerts.clear("y");
    const messages = async (args: object) =>
      ((await answer(farm, "get_alerts", args)).text as { message: string }[]).map(({ message }) => message);
    expect(await messages({})).toEqual(["seen", "open"]);
    expect(await messages({ acknowledged: false })).toEqual(["hot", "open"]);
    expect(await messages({ acknowledged: "false" })).toEqual(["hot", "open"]);
    expect(await messages({ acknowledged: true })).toEqual(["seen"]);
    expect(await messages({ acknowledged: "true" })).toEqual(["seen"]);
    expect(await messages({ severity: "critical" })).toEqual([]); // it is over
    expect(await messages({ severity: "critical", acknowledged: false })).toEqual(["hot"]);
    const resource = await farm.part.resources?.[0]?.read("sensehub://alerts", caller("viewer"));
    // @proves farm.resource.alerts
    expect((JSON.parse(resource?.text ?? "[]") as { message: string }[]).map(({ message }) => message)).toEqual([
      "hot",
      "open",
    ]);
    const [first] = (await answer(farm, "get_alerts", { acknowledged: true })).text as object[];
    expect(first).toMatchObject({
      equipment_name: "Probe",
      zone_name: null,
      acknowledged_by_name: by,
      acknowledged: true,
    });
    for (let i = 0; i < 210; i += 1) await raise(`more ${i}`);
    expect((await answer(farm, "get_alerts")).structured).toMatchObject({ count: 200, total: 212 });
  });

  // @proves farm.tool.system-status farm.system.info-ours farm.tool.automations farm.tool.rows-automation
  test("the status has the health inside, and an automation its schedule in one line", async () => {
    const { structured } = await answer(farm, "get_system_status");
    expect(structured).toMatchObject({ version: "1.2.3", armed: true, health: { status: "ok", version: "1.2.3" } });
    expect(structured["connectivity"]).toMatchObject({ gateways: { total: expect.any(Number) as unknown } });
    expect(structured["cpu"]).toMatchObject({ load: [expect.any(Number), expect.any(Number), expect.any(Number)] });
    const schedule = { type: "schedule", schedule_type: "daily", time: "06:30" };
    await farm.core.automations.create({ name: "Irrigate", trigger_config: schedule }, by);
    await farm.core.automations.create({ name: "By hand", priority: -1 }, by);
    expect((await answer(farm, "get_automations")).text).toMatchObject([
      { name: "By hand", schedule: null, enabled: true },
      { name: "Irrigate", schedule: "Daily at 06:30", trigger_config: schedule, run_count: 0 },
    ]);
  });
});

describe("acting", () => {
  // @proves farm.tool.control-relay-duration
  test("a duration is counted out by a board that can, and refused before a byte by one that cannot", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    const args = { equipment_id: id, channel: 0, state: true, duration_seconds: 5 };
    expect(await refusal(farm, "control_relay", args)).toMatchObject({ status: 501, retryable: false });
    for (const duration_seconds of [0, 1.5, 21_601, "5", null]) {
      expect(await refusal(farm, "control_relay", { ...args, duration_seconds })).toMatchObject({ status: 400 });
    }
    expect(farm.core.book.state(id).channels.get(0)?.on).not.toBe(true);
  });

  // @proves farm.tool.control-relay farm.tool.control-relay-reason
  test("a relay is switched, read back and receipted, with its reason on record", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    const args = { equipment_id: id, channel: 0, state: true, reason: "dry" };
    const { structured } = await answer(farm, "control_relay", args);
    expect(structured).toMatchObject({ success: true, channel: 0, state: true, writeOnly: false, confirmed: true });
    expect(structured["receipt"]).toMatchObject({ stage: "observed", observed: true });
    const audit = farm.ledger.records("audit").map(({ data }) => JSON.stringify(data));
    expect(audit.some((record) => record.includes("dry"))).toBe(true);
    expect(farm.core.tables.all("relay_events").at(-1)).toMatchObject({ source: "mcp" });
  });

  // @proves farm.tool.error-shape farm.tool.error-names-choices farm.tool.error-400 farm.tool.error-403 farm.mcp-auth.viewer-write farm.mcp-auth.caller-role
  test("refusals have the contract's shape and name the choices", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    const wrong = await refusal(farm, "control_relay", { equipment_id: id, channel: 7, state: true });
    expect(wrong).toMatchObject({ error: "Bad Request", status: 400, retryable: false });
    expect(wrong["message"]).toContain("0, 1, 2");
    for (const args of [
      { channel: "0", state: true },
      { channel: 0.5, state: true },
      { channel: 0, state: "false" },
      { channel: 0, state: 1 },
      { channel: 0, state: null },
    ]) {
      expect(await refusal(farm, "control_relay", { equipment_id: id, ...args })).toMatchObject({ status: 400 });
    }
    const viewer = await refusal(farm, "control_relay", { equipment_id: id, channel: 0, state: true }, "viewer");
    expect(viewer).toMatchObject({ error: "Forbidden", status: 403, retryable: false });
    // Who may not act is not told either what there would be to act on.
    for (const [tool, given] of [
      ["control_relay", { equipment_id: 4_711, channel: 0, state: true }],
      ["trigger_automation", { automation_id: 4_711 }],
      ["toggle_automation", { automation_id: 4_711 }],
    ] as const)
      expect(await refusal(farm, tool, given, "viewer")).toMatchObject({ error: "Forbidden", status: 403 });
    const { id: program } = await farm.core.automations.create({ name: "p" }, by);
    expect(await refusal(farm, "toggle_automation", { automation_id: program }, "viewer")).toMatchObject({
      status: 403,
    });
    expect(await refusal(farm, "trigger_automation", { automation_id: program }, "viewer")).toMatchObject({
      status: 403,
    });
    expect(farm.core.automations.get(program)).toMatchObject({ enabled: true, run_count: 0 });
  });

  test("a silent board is a time-out that may be tried again, told within nine seconds", async () => {
    const { id } = await farm.core.book.create({ ...BOARD, slave_id: 9 }, by);
    const asked = refusal(farm, "control_relay", { equipment_id: id, channel: 0, state: true });
    await clock.advance(seconds(9));
    expect(await asked).toMatchObject({ error: "Device Timeout", status: 504, retryable: true });
  });

  // @proves farm.tool.trigger-automation farm.automation.last-run farm.automation-api.executed-actions farm.automation.log-detail
  test("an automation runs once, its actions in order, also when it is disabled", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    const program = await farm.core.automations.create(
      {
        name: "Water",
        enabled: false,
        actions: [
          { type: "log", message: "begin" },
          { type: "control", equipment_id: id, channel: 0, action: "on" },
          { type: "control", equipment_id: id, channel: 1, action: "toggle" },
          { type: "alert", severity: "info", message: "watered" },
        ],
      },
      by,
    );
    const asked = answer(farm, "trigger_automation", { automation_id: program.id });
    await clock.advance(seconds(2));
    const { structured } = await asked;
    expect(structured).toMatchObject({
      success: true,
      automation_id: program.id,
      automation_name: "Water",
      run_count: 1,
    });
    expect(structured["executed_actions"]).toMatchObject([
      { type: "log", status: "executed" },
      { type: "control", status: "executed", equipment: "Relay board", channel: 0, channel_name: "Water Pump" },
      { type: "control", status: "executed", channel: 1, action: "toggle" },
      { type: "alert", status: "executed" },
    ]);
    expect(farm.core.book.state(id).channels.get(0)?.on).toBe(true);
    expect(farm.core.book.state(id).channels.get(1)?.on).toBe(true);
    expect(farm.core.alerts.list()[0]).toMatchObject({ message: "watered", automation_id: program.id });
    expect(farm.core.automations.logs(program.id)).toMatchObject([
      { status: "success", outcome: "ok", source: "manual" },
    ]);
  });

  // @proves farm.automation.log-failure farm.automation-api.trigger-failed
  test("a failed action is told, stops what would go on and never what would go off", async () => {
    const { id } = await farm.core.book.create(BOARD, by);
    const program = await farm.core.automations.create(
      {
        name: "Mixed",
        actions: [
          { type: "control", equipment_id: id, channel: 99, action: "on" },
          { type: "control", equipment_id: id, channel: 0, action: "on" },
          { type: "control", equipment_id: id, channel: 1, action: "off" },
        ],
      },
      by,
    );
    const { structured } = await answer(farm, "trigger_automation", { automation_id: program.id });
    expect(structured["success"]).toBe(false);
    const actions = structured["executed_actions"] as { status: string }[];
    expect(actions.map(({ status }) => status)).toEqual(["error", "error", "executed"]);
    expect(farm.core.automations.logs(program.id)).toMatchObject([{ status: "failure", outcome: "partial" }]);
  });

  // @proves farm.tool.toggle-automation farm.tool.toggle-automation-set
  test("a toggle gives the state it made, and can be told which", async () => {
    const { id } = await farm.core.automations.create({ name: "p" }, by);
    expect((await answer(farm, "toggle_automation", { automation_id: id })).structured).toMatchObject({
      enabled: false,
      id,
      name: "p",
    });
    expect((await answer(farm, "toggle_automation", { automation_id: id, enabled: false })).structured).toMatchObject({
      enabled: false,
    });
    expect((await answer(farm, "toggle_automation", { automation_id: id })).structured).toMatchObject({
      enabled: true,
    });
    expect(await refusal(farm, "toggle_automation", { automation_id: 99 })).toMatchObject({ status: 404 });
  });
});
