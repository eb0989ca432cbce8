import { createManualClock } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPolled } from "../model/polled-metrics.ts";
import { toMetric } from "../modbus/register-mapping.ts";
import { SYSTEM_DEVICE_TEMPLATES } from "../model/system-device-templates.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";

let farm: TrialFarm;
let api: TrialApi;
beforeEach(() => {
  farm = createTrialFarm({ clock: createManualClock() });
  api = createTrialApi(farm);
});
afterEach(() => farm.stop());

describe("device templates", () => {
  // @proves farm.tables.device-templates
  test("the hub brings the relay boards, the sensor, the meter and the drive along", async () => {
    const { rows } = await api.call("GET", "/api/templates?shape=parsed", { role: "viewer" });
    expect(rows.map(({ name }) => name)).toEqual([
      "Waveshare 4-Channel Relay",
      "Waveshare 6-Channel Relay",
      "Waveshare 8-Channel Relay",
      "Waveshare 16-Channel Relay",
      "Waveshare 32-Channel Relay",
      "Temperature/Humidity Sensor",
      "Power Meter",
      "Variable Frequency Drive",
    ]);
    expect(rows[5]).toMatchObject({
      is_system: true,
      default_polling_interval_ms: 5_000,
      register_mappings: [
        { register: 0, type: "input", dataType: "int16" },
        { register: 1, type: "input", dataType: "uint16" },
      ],
    });
    expect(rows[6]?.["register_mappings"]).toMatchObject(
      [0, 2, 4, 6].map((register) => ({ register, type: "input", dataType: "float32" })),
    );
    expect(rows[7]?.["register_mappings"]).toMatchObject([
      { register: 0, type: "holding" },
      { register: 1, type: "input" },
      { register: 2, type: "input" },
      { register: 3, type: "input" },
      { register: 0, type: "coil" },
    ]);
    const wire = await api.call("GET", "/api/templates/1", { role: "viewer" });
    expect(wire.json).toMatchObject({ is_system: 1, register_mappings: expect.any(String) as unknown });
  });

  // @proves farm.tables.waveshare-templates
  test("a Waveshare board has its coils from 0 on, and its settings are named but not polled", () => {
    for (const [index, channels] of [4, 6, 8, 16, 32].entries()) {
      const metrics = (SYSTEM_DEVICE_TEMPLATES[index]?.register_mappings ?? []).map(toMetric);
      const coils = metrics.filter(({ isChannel }) => isChannel).map(({ address }) => address);
      expect(coils).toEqual(Array.from({ length: channels }, (_, coil) => coil));
      const others = metrics.filter(({ fc }) => fc === 3);
      expect(others.map(({ address }) => address)).toEqual([8_192, 16_384]);
      for (const type of ["relay", "sensor"]) {
        expect(others.some((metric) => isPolled({ type, register_mappings: [] }, metric))).toBe(false);
      }
    }
  });

  // @proves farm.device-template-api.roles farm.device-template-api.system
  test("anybody reads them, operators add and delete their own, and nobody deletes the hub's", async () => {
    const body = { name: "My probe", register_mappings: [{ name: "ph", register: 3, type: "input" }] };
    expect((await api.call("POST", "/api/templates", { role: "viewer", body })).status).toBe(403);
    const made = await api.call("POST", "/api/templates", { body });
    expect(made).toMatchObject({ status: 201, json: { name: "My probe", is_system: 0, category: "other" } });
    expect(made.id).toBeGreaterThan(100);
    expect((await api.call("POST", "/api/templates", { body: { name: "x", protocol: "knx" } })).status).toBe(400);
    expect((await api.call("DELETE", `/api/templates/${made.id}`, { role: "viewer" })).status).toBe(403);
    expect((await api.call("DELETE", `/api/templates/${made.id}`)).status).toBe(200);
    expect((await api.call("GET", `/api/templates/${made.id}`)).status).toBe(404);
    const refused = await api.call("DELETE", "/api/templates/1", { role: "admin" });
    expect(refused).toMatchObject({ status: 403, json: { error: "Forbidden", code: "TEMPLATE_IS_SYSTEM" } });
    expect((await api.call("GET", "/api/templates/1")).status).toBe(200);
  });
});

describe("automation templates", () => {
  // @proves farm.template.system
  test("ten come with the hub and cannot be deleted", async () => {
    const list = await api.call("GET", "/api/automation-templates?shape=parsed", { role: "viewer" });
    expect(list.rows).toHaveLength(10);
    const categories = ["Monitoring", "Control", "Maintenance", "Safety", "Manual", "Logging", "General"];
    for (const { id, category, is_system } of list.rows) {
      expect(is_system).toBe(true);
      expect(categories).toContain(category);
      expect((await api.call("DELETE", `/api/automation-templates/${Number(id)}`, { role: "admin" })).status).toBe(403);
    }
    expect((await api.call("GET", "/api/automations/templates")).json).toHaveLength(10);
  });

  // @proves farm.automation-api.create
  test("an automation on a template has its conditions and actions, whatever else was sent", async () => {
    const made = await api.call("POST", "/api/automations?shape=parsed", {
      body: { name: "Heat", template_id: 1, actions: [{ type: "log", message: "mine" }], condition_logic: "OR" },
    });
    expect(made).toMatchObject({
      status: 201,
      json: {
        template_id: 1,
        condition_logic: "AND",
        conditions: [{ field: "temperature", operator: "gt", value: 35 }],
        actions: [{ type: "alert", severity: "warning" }],
      },
    });
    expect((await api.call("POST", "/api/automations", { body: { name: "x", template_id: 77 } })).status).toBe(404);
  });

  // @proves farm.automation.template-linked farm.automation-api.templates
  test("a changed template changes every automation that hangs on it, a deleted one lets them go", async () => {
    const template = await api.call("POST", "/api/automation-templates", {
      body: { name: "Mine", actions: [{ type: "log", message: "one" }] },
    });
    expect(template).toMatchObject({ status: 201, json: { category: "General", is_system: 0 } });
    const { id } = template;
    for (const name of ["A", "B"]) await api.call("POST", "/api/automations", { body: { name, template_id: id } });
    await api.call("POST", "/api/automations", { body: { name: "Apart" } });
    expect((await api.call("PUT", `/api/automation-templates/${id}`, { role: "viewer", body: {} })).status).toBe(403);
    const changed = await api.call("PUT", `/api/automation-templates/${id}`, {
      body: { condition_logic: "OR", actions: [{ type: "log", message: "two" }] },
    });
    expect(changed.json).toMatchObject({ propagated_to: 2 });
    const followers = await api.call("GET", `/api/automation-templates/${id}/automations?shape=parsed`);
    expect(followers.json).toMatchObject(
      ["A", "B"].map((name) => ({ name, condition_logic: "OR", actions: [{ message: "two" }] })),
    );
    const apart = await api.call("GET", "/api/automations?shape=parsed");
    expect(apart.rows.find(({ name }) => name === "Apart")).toMatchObject({ actions: [] });
    expect((await api.call("DELETE", `/api/automation-templates/${id}`)).json).toMatchObject({
      unlinked_automations: 2,
    });
    const left = await api.call("GET", "/api/automations?shape=parsed");
    expect(left.json).toMatchObject([{ name: "A", template_id: null, actions: [{ message: "two" }] }, {}, {}]);
    const bad = { name: "x", actions: [{ type: "explode" }] };
    expect((await api.call("POST", "/api/automation-templates", { body: bad })).status).toBe(400);
  });
});
