import { createManualClock, type JsonObject } from "@steading/kernel";
import { expect, test } from "vitest";
import { createTrialFarm } from "../testing/trial-farm.ts";

// @proves farm.subscription.update-meta
test("an update says why, and what it is about", async () => {
  const farm = createTrialFarm({ clock: createManualClock() });
  await farm.start();
  const heard: [string, JsonObject | undefined][] = [];
  const [resources] = farm.part.resources ?? [];
  resources?.onUpdated?.((uri, meta) => void heard.push([uri, meta]));
  const { id } = await farm.core.book.create({ name: "Meter", protocol: "other" }, "anna");
  const alert = await farm.core.alerts.raise({ severity: "info", message: "x", source: "test" });
  const automation = await farm.core.automations.create({ name: "Program" }, "anna");
  expect(heard).toEqual([
    ["sensehub://equipment", { reason: "created", equipment_id: id }],
    ["sensehub://alerts", { reason: "created", alert_id: alert.id }],
    ["sensehub://automations", { reason: "created", automation_id: automation.id }],
  ]);
  await farm.stop();
});
