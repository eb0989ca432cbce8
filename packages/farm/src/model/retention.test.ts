import { createManualClock, createJournal, createMemoryLedger, days, hours, millis, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { nextNight } from "./next-night.ts";
import { createRetention } from "./retention.ts";
import type { Alert, AutomationLog, RelayEvent } from "./rows.ts";
import { loadTables, type RowChange, type Tables } from "./tables.ts";

const iso = (at: number): string => new Date(at).toISOString();
const from = (text: string): number => Date.parse(text);

function farm(start: string) {
  const clock = createManualClock(from(start));
  const ledger = createMemoryLedger({ clock });
  const tables = loadTables({ ledger, journal: createJournal({ ledger, clock, log: silentLog }) });
  return { clock, tables };
}

const relayEvent = (id: number, created_at: number): RelayEvent => ({
  id,
  equipment_id: 1,
  channel: 0,
  state: true,
  source: "manual",
  automation_id: null,
  user_id: null,
  confirmed: true,
  generation: id,
  created_at,
});
const runLog = (id: number, at: number): AutomationLog => ({
  id,
  automation_id: 1,
  status: "success",
  message: "",
  triggered_at: at,
  completed_at: at,
  source: "manual",
  outcome: "ok",
  detail: [],
});
const alert = (id: number, at: number, acknowledged: boolean): Alert => ({
  id,
  equipment_id: null,
  zone_id: null,
  automation_id: null,
  severity: "info",
  message: "",
  source: "rest",
  fingerprint: null,
  count: 1,
  acknowledged,
  acknowledged_by: null,
  acknowledged_at: acknowledged ? at : null,
  created_at: at,
  last_seen_at: at,
  cleared_at: null,
});

// @proves farm.retention.nightly
test("the night is 03:30 of the place, also when its clocks are put forward or back", () => {
  expect(iso(nextNight(from("2026-05-01T00:00:00Z"), "UTC"))).toBe("2026-05-01T03:30:00.000Z");
  expect(iso(nextNight(from("2026-05-01T03:30:00Z"), "UTC"))).toBe("2026-05-02T03:30:00.000Z");
  expect(iso(nextNight(from("2026-05-01T12:00:00Z"), "Asia/Kathmandu"))).toBe("2026-05-01T21:45:00.000Z");
  expect(iso(nextNight(from("2026-05-01T12:00:00Z"), "America/New_York"))).toBe("2026-05-02T07:30:00.000Z");
  // In Athens 03:00 becomes 04:00 on this night, and 04:00 becomes 03:00 on the other.
  expect(iso(nextNight(from("2026-03-28T22:00:00Z"), "Europe/Athens"))).toBe("2026-03-29T01:00:00.000Z");
  expect(iso(nextNight(from("2026-10-24T22:00:00Z"), "Europe/Athens"))).toBe("2026-10-25T00:30:00.000Z");
});

// @proves farm.retention.nightly
test("it runs once a night, and not in between", async () => {
  const { clock, tables } = farm("2026-05-01T12:00:00Z");
  const ran: string[] = [];
  const history = {
    tidy() {
      ran.push(iso(clock.now()));
      return Promise.resolve({ rows: 0, compacted: "not worth it" });
    },
  };
  const retention = createRetention({ tables, history, clock, log: silentLog, timeZone: "UTC" });
  retention.start();
  retention.start();
  for (let hour = 0; hour < 72; hour += 1) await clock.advance(hours(1));
  expect(ran).toEqual(["2026-05-02T03:30:00.000Z", "2026-05-03T03:30:00.000Z", "2026-05-04T03:30:00.000Z"]);
  retention.stop();
  expect(clock.pending).toBe(0);
});

// @proves farm.retention.others
test("relay events stay 60 days, run logs 30, acknowledged alerts 90, others for good", async () => {
  const { clock, tables } = farm("2026-05-01T00:00:00Z");
  const ago = (count: number): number => clock.now() - days(count);
  await tables.commit([
    { table: "relay_events", put: relayEvent(1, ago(61)) },
    { table: "relay_events", put: relayEvent(2, ago(59)) },
    { table: "automation_logs", put: runLog(1, ago(31)) },
    { table: "automation_logs", put: runLog(2, ago(29)) },
    { table: "alerts", put: alert(1, ago(91), true) },
    { table: "alerts", put: alert(2, ago(91), false) },
    { table: "alerts", put: alert(3, ago(89), true) },
    { table: "alerts", put: { ...alert(4, ago(200), true), last_seen_at: ago(1) } },
  ]);
  const retention = createRetention({ tables, history: {}, clock, log: silentLog });
  await retention.runOnce();
  const ids = (table: "relay_events" | "automation_logs" | "alerts") => tables.all(table).map(({ id }) => id);
  expect({ events: ids("relay_events"), logs: ids("automation_logs"), alerts: ids("alerts") }).toEqual({
    events: [2],
    logs: [2],
    alerts: [2, 3, 4],
  });
  expect(retention.counters()).toEqual({ nights: 1, failures: 0, dropped: 3 });
});

// @proves farm.retention.batches
test("rows go in batches of 25000, and a failure of one thing does not keep the other back", async () => {
  const { clock, tables } = farm("2026-05-01T00:00:00Z");
  const many = Array.from({ length: 60_000 }, (_, i) => relayEvent(i + 1, 0));
  const batches: number[] = [];
  const crowded: Tables = {
    ...tables,
    all: ((table) => (table === "relay_events" ? many : [])) as Tables["all"], // more than a farm's own bound lets in
    commit: (changes: readonly RowChange[]) => Promise.resolve(void batches.push(changes.length)),
  };
  let failures = 0;
  const log = { ...silentLog, error: () => void (failures += 1) };
  const history = { tidy: () => Promise.reject(new Error("no disk")) };
  const retention = createRetention({ tables: crowded, history, clock, log });
  await retention.runOnce();
  await clock.advance(millis(1));
  expect(batches).toEqual([25_000, 25_000, 10_000]);
  expect(failures).toBe(1);
  expect(retention.counters()).toMatchObject({ failures: 1, dropped: 60_000 });
});
