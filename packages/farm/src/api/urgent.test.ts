import { createManualClock } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

let farm: TrialFarm;
let api: TrialApi;
beforeEach(async () => {
  farm = await startBoardFarm(createManualClock());
  api = createTrialApi(farm);
});
afterEach(() => farm.stop());

test.each([
  ["/api/automations/stop-all", { scope: "all" }, true],
  ["/api/equipment/:id/relay/control", { channel: 0, state: false }, true],
  ["/api/equipment/:id/relay/control", { channel: 0, state: true }, false],
  ["/api/equipment/:id/relay/control", { channel: 0, state: 0 }, false],
  ["/api/equipment/:id/relay/all", { state: false }, true],
  ["/api/equipment/:id/relay/all", { state: true }, false],
  ["/api/equipment/:id/relay/all", { states: [false, false] }, true],
  ["/api/equipment/:id/relay/all", { state: false, states: [false, true] }, false],
  ["/api/equipment/:id/control", { action: "off", channel: 0 }, true],
  ["/api/equipment/:id/control", { action: "toggle", channel: 0 }, false],
  ["/api/automations/arming", { armed: false }, true],
  ["/api/automations/arming", { armed: true }, false],
  ["/api/equipment", { name: "x" }, false],
])("POST %s with %j makes things safe: %s", (path, body, is) => {
  const urgent = api.routes.find((route) => route.method === "POST" && route.path === path)?.urgent;
  const asked = { params: { id: 1 }, query: {}, body };
  expect(typeof urgent === "function" ? urgent(asked) : urgent === true).toBe(is);
});

test.each([
  ["control_relay", { equipment_id: 1, channel: 0, state: false }, true],
  ["control_relay", { equipment_id: 1, channel: 0, state: true }, false],
  ["toggle_automation", { automation_id: 1, enabled: false }, true],
  ["toggle_automation", { automation_id: 1 }, false],
  ["trigger_automation", { automation_id: 1 }, false],
])("the tool %s with %j makes things safe: %s", (name, given, is) => {
  const tool = farm.dispatcher.tools({ kind: "all" }, "admin").find((each) => each.name === name);
  expect(tool?.isUrgent?.(given) ?? false).toBe(is);
});
