import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

// @proves steading.address.metrics
test("/metrics tells of the whole hub, and of nothing that was said to it", async () => {
  const { ready } = await hubs.hub("demo");
  const spoken = "greenhouse-marmalade";
  await hubs.run(["call", "set_property", '{"path":"/lamps/demo/on","value":true}']);
  await hubs.run(["call", "query", JSON.stringify({ path: `/${spoken}` })]);
  const headers = { Authorization: `Bearer ${ready.token}` };
  const answer = await fetch(`${ready.url}/metrics`, { headers });
  const text = await answer.text();
  expect(answer.headers.get("content-type")).toContain("text/plain");

  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  expect(value("steading_door_sent_total")).toBe(1);
  expect(value("steading_dispatcher_mutations_total")).toBe(1);
  expect(value("steading_dispatcher_reads_total")).toBe(1);
  expect(value("steading_journal_appended_total")).toBeGreaterThan(0);
  expect(value("steading_ledger_commits_total")).toBeGreaterThan(0);
  expect(value("steading_history_written_total")).toBeGreaterThanOrEqual(0);
  expect(value("steading_recorder_lost_total")).toBe(0);
  expect(value("steading_accounts_logins_total")).toBe(0);
  expect(value("steading_approvals_pending")).toBe(0);
  expect(value("steading_snapshots_held")).toBe(0);
  expect(value("steading_lamp_devices")).toBe(1);
  expect(value("steading_lamp_requests_total")).toBeGreaterThan(0);
  expect(value("steading_armed")).toBe(1);
  expect(text).not.toContain(spoken);
  expect(text).not.toContain(ready.token);
  // A line that Prometheus reads: a comment, or a name with labels and a number.
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) .+|[a-zA-Z_:][\w:]*(\{[^}]*\})? -?(\d[\d.e+-]*|NaN|\+Inf))$/);
});
