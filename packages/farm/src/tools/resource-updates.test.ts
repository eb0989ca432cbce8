import { createManualClock, millis, seconds, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarmEvents } from "../model/farm-events.ts";
import { caller, createTrialFarm } from "../testing/trial-farm.ts";
import { createResourceUpdates } from "./resource-updates.ts";

function watched() {
  const clock = createManualClock();
  const events = createFarmEvents({ log: silentLog });
  const updates = createResourceUpdates({ events, clock });
  const told: string[] = [];
  updates.on((uri, { reason, equipment_id, alert_id, automation_id }) =>
    told.push(`${clock.monotonic()} ${uri.slice(11)} ${reason} ${equipment_id ?? alert_id ?? automation_id ?? ""}`),
  );
  const reading = (id: number): void => events.emit({ kind: "reading", id, readings: [] });
  return { clock, events, updates, told, reading };
}

// @proves farm.subscription.reading-first farm.subscription.reading-window farm.subscription.reading-per-equipment
test("readings of one device are told at once and then at most every 30 s; another device has its own window", async () => {
  const { clock, told, reading, updates } = watched();
  for (let second = 0; second < 65; second += 1) {
    reading(1);
    if (second === 10) reading(2);
    await clock.advance(seconds(1));
  }
  expect(told).toEqual([
    "0 equipment reading 1",
    "10000 equipment reading 2",
    "30000 equipment reading 1",
    "60000 equipment reading 1",
  ]);
  await clock.advance(seconds(120));
  expect(told.at(-1)).toBe("90000 equipment reading 1"); // what came in the last window, at its end, and then quiet
  reading(1);
  expect(told.at(-1)).toBe("185000 equipment reading 1");
  updates.stop();
  expect(clock.pending).toBe(0);
});

// @proves farm.subscription.status-inside-window farm.subscription.status-change
test("a status or relay change is told at once, inside a reading's window too, and a burst becomes two", async () => {
  const { clock, events, told, reading, updates } = watched();
  reading(1);
  await clock.advance(seconds(5));
  events.emit({ kind: "equipment", change: "status", id: 1 });
  for (let i = 0; i < 10; i += 1) events.emit({ kind: "relay", id: 1, data: {} });
  await clock.advance(millis(100));
  expect(told).toEqual(["0 equipment reading 1", "5000 equipment status 1", "5100 equipment relay 1"]);
  updates.stop();
});

// @proves farm.subscription.alerts farm.subscription.automations farm.subscription.automation-runs
test("alerts and automations are told at once, runs at both ends", () => {
  const { events, told, updates } = watched();
  for (const change of ["created", "acknowledged", "cleared", "seen"] as const)
    events.emit({ kind: "alert", change, id: 4 });
  for (const change of ["created", "enabled", "started", "ended"] as const)
    events.emit({ kind: "automation", change, id: 7 });
  expect(told).toEqual([
    "0 alerts created 4",
    "0 alerts acknowledged 4",
    "0 alerts cleared 4",
    "0 automations created 7",
    "0 automations enabled 7",
    "0 automations started 7",
    "0 automations ended 7",
  ]);
  updates.stop();
});

// @proves farm.resource.three farm.resource.contents farm.resource.equipment farm.resource.automations
test("exactly three resources are listed, each the array that its tool gives", async () => {
  const farm = createTrialFarm({ clock: createManualClock() });
  await farm.core.book.create({ name: "Probe" }, "anna");
  await farm.core.automations.create({ name: "Morning" }, "anna");
  const [provider] = farm.part.resources ?? [];
  const viewer = caller("viewer");
  expect(provider?.list(viewer, { limit: 10 })).toEqual([
    {
      uri: "sensehub://alerts",
      name: "Active Alerts",
      description: "Currently active alerts requiring attention",
      mimeType: "application/json",
    },
    {
      uri: "sensehub://automations",
      name: "Automations",
      description: "All configured automation programs",
      mimeType: "application/json",
    },
    {
      uri: "sensehub://equipment",
      name: "Equipment List",
      description: "All registered sensors and relays with current status",
      mimeType: "application/json",
    },
  ]);
  for (const [uri, tool] of [
    ["sensehub://equipment", "get_equipment_list"],
    ["sensehub://automations", "get_automations"],
  ] as const) {
    const content = await provider?.read(uri, viewer);
    const called = await farm.dispatcher.call({ tool, arguments: {}, caller: viewer });
    expect(content).toEqual({ uri, mimeType: "application/json", text: called.kind === "answer" ? called.text : "" });
  }
  expect(await provider?.read("sensehub://crops", viewer)).toBeUndefined();
  await farm.stop();
});
