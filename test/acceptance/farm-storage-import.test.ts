import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startHub, type HubProcess } from "../support/hub-process.ts";
import { secret } from "../support/run-record.ts";
import { createOldFarm } from "../support/sensehub-farm.ts";
import type { SenseHubDatabase } from "../support/sensehub-database.ts";
import { runSteading } from "../support/steading-run.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const PASSWORD = secret("barley under the lamp");
const HASH = "$2b$10$CXQDhBVB0xCJTWziIyjIp.gGFBas/CYsk2MFkAWSb5cScBD.spXt.";
const DAY = 86_400_000;
const NOW = Math.floor(Date.now() / 60_000) * 60_000;

const iso = (at: number): string => new Date(at).toISOString();

let folder: TemporaryFolder;
let hub: HubProcess | undefined;
beforeEach(async () => void (folder = await createTemporaryFolder()));
afterEach(async () => {
  await hub?.stop();
  hub = undefined;
  await folder.remove();
});

interface Report {
  tables: {
    table: string;
    found: number;
    taken: number;
    skipped: { reason: string; rows: number; examples: unknown[] }[];
    notes: { reason: string; rows: number; examples: unknown[] }[];
  }[];
  left: { table: string; rows: number }[];
}

const source = (): string => folder.at("old", "sensehub.db");
const data = (): string => folder.at("data");

async function importIt(
  ...flags: string[]
): Promise<{ code: number | null; report: Report; err: string; out: string }> {
  const ran = await runSteading(["farm", "import", source(), "--data", data(), "--json", ...flags]);
  return { ...ran, report: (ran.out === "" ? { tables: [], left: [] } : JSON.parse(ran.out)) as Report };
}

async function startImported(): Promise<{ get(path: string): Promise<unknown>; ask(...call: Call): Promise<Answer> }> {
  const config = folder.at("steading.config.yaml");
  await writeFile(config, "access: write\nfarm: { port: null }\n");
  hub = await startHub({ data: data(), config });
  const { url } = hub;
  const ask = async (...[method, path, body, token]: Call): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  };
  const login = await ask("POST", "/api/auth/login", { email: "anna@farm.example", password: PASSWORD });
  expect(login).toMatchObject({ status: 200, json: { user: { id: 1, name: "Anna", role: "admin" } } });
  const token = secret(String((login.json as { token: string }).token));
  return { ask, get: async (path) => (await ask("GET", path, undefined, token)).json };
}
type Call = [method: string, path: string, body?: unknown, token?: string];
interface Answer {
  readonly status: number;
  readonly json: unknown;
}

const oldFarm = (): SenseHubDatabase => createOldFarm(source(), { now: NOW, hash: HASH });

const hashes = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir)
      .sort()
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(`${dir}/${name}`))
          .digest("hex"),
      ]),
  );
const counts = ({ tables }: Report): Record<string, [number, number]> =>
  Object.fromEntries(tables.map(({ table, found, taken }) => [table, [found, taken]]));

// @proves farm.storage.import-read-only farm.storage.import-complete farm.user.bcrypt-import
test("the database of a SenseHub is taken over with its numbers, and stays as it was to the byte", async () => {
  const db = oldFarm();
  // The old hub's log lies beside it, as after a crash.
  const before = hashes(folder.at("old"));
  expect(Object.keys(before)).toContain("sensehub.db-wal");
  const { code, report, err } = await importIt();
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(hashes(folder.at("old"))).toEqual(before);
  db.close();
  expect(readdirSync(data()).filter((name) => name.startsWith("import-"))).toEqual([]);
  expect(counts(report)).toEqual({
    users: [4, 2],
    user_preferences: [2, 1],
    zones: [5, 4],
    equipment: [4, 2],
    equipment_zones: [4, 2],
    readings: [7, 4],
    automation_templates: [1, 1],
    automations: [2, 1],
    automation_logs: [2, 1],
    alerts: [3, 2],
    relay_events: [2, 1],
    equipment_errors: [1, 1],
    watchdog_events: [1, 1],
    device_templates: [2, 1],
    system_settings: [3, 2],
  });
  expect(report.left).toEqual([
    { table: "lab_readings", rows: 1 },
    { table: "sessions", rows: 1 },
  ]);
  const said = (table: string) => report.tables.find((each) => each.table === table);
  expect(said("readings")?.skipped).toEqual([
    { reason: "its value is not a number", rows: 1, examples: [5] },
    { reason: "its equipment was not taken", rows: 1, examples: [6] },
    { reason: "its time is not a time", rows: 1, examples: [7] },
  ]);
  expect(said("equipment")?.skipped.map(({ examples }) => examples)).toEqual([[6], [7]]);
  expect(said("automations")?.notes).toMatchObject([
    { rows: 1, examples: [4], reason: expect.stringContaining("action") },
  ]);

  const { get, ask } = await startImported();
  const equipment = (await get("/api/equipment")) as Record<string, unknown>[];
  expect(equipment.map(({ id, name, enabled }) => [id, name, enabled])).toEqual(
    expect.arrayContaining([
      [3, "Relays", 0],
      [5, "Soil", 0],
    ]),
  );
  expect(await get("/api/equipment/5?shape=parsed")).toMatchObject({
    calibration_offset: 1.5,
    register_mappings: [{ name: "moisture", register: 3, scale: 0.1, unit: "%" }],
    last_reading: { values: { moisture: { value: 41, unit: "%" } } },
  });
  const zones = (await get("/api/zones")) as Record<string, unknown>[];
  expect(zones.map(({ id, parent_id }) => [id, parent_id]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
    [2, null],
    [3, 2],
    [7, 8],
    [8, null],
  ]);
  expect(await get("/api/alerts?shape=parsed")).toMatchObject([
    { id: 22, severity: "critical", equipment_id: null, zone_name: "House", created_at: iso(NOW - DAY) },
    { id: 21, acknowledged: true, acknowledged_by_name: "Ben", equipment_name: "Soil", created_at: iso(NOW - DAY) },
  ]);
  expect(await get("/api/automations?shape=parsed")).toMatchObject([
    { id: 4, priority: 3, run_count: 17, template_id: 12, actions: [{ type: "control" }, { type: "fax" }] },
  ]);
  expect(await get("/api/automations/4")).toMatchObject({ logs: [{ id: 9, status: "success" }] });
  expect(await get(`/api/equipment/5/history?metric=moisture&from=${iso(NOW - 3 * DAY)}`)).toMatchObject({
    data: [
      { name: "moisture", value: 41, timestamp: iso(NOW - DAY) },
      { name: "moisture", value: 40, timestamp: iso(NOW - 2 * DAY) },
    ],
  });
  // Beyond the time that single readings are kept, what they add up to is still there.
  const long = `from=${iso(NOW - 401 * DAY)}&to=${iso(NOW - 399 * DAY)}`;
  expect(JSON.stringify(await get(`/api/equipment/5/history/chart?${long}`))).toContain("31.235");
  expect(JSON.stringify(await get("/api/settings"))).not.toContain("telegram");
  expect(JSON.stringify(readdirSync(data()).map((name) => readable(name)))).not.toContain("telegram-secret");
  const ben = await ask("POST", "/api/auth/login", { email: "ben@farm.example", password: PASSWORD });
  expect(ben).toMatchObject({ status: 200, json: { user: { id: 4, role: "operator" } } });
  const token = secret(String((ben.json as { token: string }).token));
  expect((await ask("GET", "/api/users/me/preferences", undefined, token)).json).toMatchObject({ sound_volume: 0.25 });
  // The next number comes behind every one that the old hub has given out, also of what is gone.
  const made = await ask("POST", "/api/equipment", { name: "Fresh", type: "sensor" }, token);
  expect(made).toMatchObject({ status: 201, json: { id: 42 } });
});

const readable = (name: string): string => {
  try {
    return readFileSync(folder.at("data", name), "latin1");
  } catch {
    return "";
  }
};

test("a look changes nothing, and a second import is refused and doubles nothing", async () => {
  oldFarm().close();
  const look = await importIt("--dry-run");
  expect(look.code).toBe(0);
  expect(existsSync(data())).toBe(false);
  const first = await importIt();
  expect(first.code).toBe(0);
  const forecast = counts(look.report);
  expect({ ...forecast, users: [] }).toEqual({ ...counts(first.report), users: [] });
  for (const flags of [[], ["--dry-run"]]) {
    const again = await importIt(...flags);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.err)).toMatchObject({ code: "FARM_NOT_EMPTY" });
  }
  const { get } = await startImported();
  expect(await get("/api/equipment")).toHaveLength(2);
  expect(await get("/api/users")).toHaveLength(2);
});

test("a running hub, a file that is no farm and a missing one are told apart, and leave no state behind", async () => {
  oldFarm().close();
  const missing = await runSteading(["farm", "import", folder.at("nothing.db"), "--data", data()]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no file") });
  await writeFile(folder.at("notes.db"), "no database ".repeat(500));
  const notes = await runSteading(["farm", "import", folder.at("notes.db"), "--data", data()]);
  expect(notes).toMatchObject({ code: 1, err: expect.stringContaining("cannot be read") });
  expect(existsSync(`${data()}/state.db`)).toBe(false);
  expect((await importIt()).code).toBe(0);
  await startImported();
  const busy = await importIt();
  expect(busy.code).toBe(5);
  expect(JSON.parse(busy.err)).toMatchObject({ code: "DATA_DIR_LOCKED" });
});

test("people read what was taken and what was not, and why", async () => {
  oldFarm().close();
  const { code, out } = await runSteading(["farm", "import", source(), "--data", data()]);
  expect(code).toBe(0);
  expect(out).toMatch(/^readings +7 +4$/m);
  expect(out).toContain("readings: 1 left out: its value is not a number (5)");
  expect(out).toContain("lab_readings: 1; this hub has no place for it");
  expect(out).toContain("Stop the old hub before you start this one");
});
