import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog } from "@steading/kernel";
import { openStore, type Reading } from "@steading/store";
import { createHub, parseSettings } from "@steading/steading";
import type DatabaseType from "better-sqlite3";

// A server of its own for the farm's benchmarks: the whole hub on a data directory, or what it is measured against.
// Arguments: what to be, how many devices, for the hub its limits, and how many readings the first device has already.

const [variant = "", devices = "50", settings = "{}", past = "0"] = process.argv.slice(2);
const count = Number(devices);
const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
const TOKEN = "bench-bench-bench-bench-bench-bench-1";
const started = performance.now();

process.on("message", (question) => {
  if (question !== "cpu") return;
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on("disconnect", () => end());
process.on("SIGTERM", () => end());
function end(): never {
  rmSync(dir, { recursive: true, force: true });
  process.exit(0);
}

const PAST_DAYS = 89;
const METRICS = ["temperature", "humidity", "ec"];
const equipment = (n: number) => ({
  name: `Probe ${String(n).padStart(4, "0")}`,
  type: "sensor",
  protocol: "other",
  register_mappings: METRICS.map((name, register) => ({ name, register, type: "input", scale: 0.1, unit: "u" })),
});

/** The past of the first device: its three metrics by turns, evenly over the days that end now. */
function* pastReadings(rows: number, days: number): Generator<{ name: string; value: number; at: number }> {
  const end = Date.now();
  const step = (days * 86_400_000) / rows;
  for (let n = 0; n < rows; n += 1) {
    yield {
      name: METRICS[n % METRICS.length] ?? "",
      value: 20 + (n % 97) / 10,
      at: Math.floor(end - (rows - n) * step),
    };
  }
}

async function fillHistory(rows: number): Promise<void> {
  const store = await openStore({ dir, clock: createRealClock(), log: silentLog });
  let batch: Reading[] = [];
  for (const { name, value, at } of pastReadings(rows, PAST_DAYS)) {
    batch.push({ path: `/farm/equipment/1/measurements[${name}]/value`, value, at, quality: "good" });
    if (batch.length < 20_000) continue;
    await store.history.append(batch, { durability: "kept" });
    batch = [];
  }
  await store.history.append(batch, { durability: "kept" });
  await store.close();
}

/** The product: store, accounts, door, graph with its recorder, REST, both MCP ports. */
async function hub(): Promise<void> {
  if (Number(past) > 0) await fillHistory(Number(past));
  const composed = await createHub({
    settings: parseSettings(`listen: [{ port: 0 }]\naccess: write\nfarm: {}\nlimits: ${settings}\n`, "bench.yaml"),
    data: dir,
    clock: createRealClock(),
    log: silentLog,
  });
  await composed.start(new AbortController().signal);
  const token = await composed.firstToken(TOKEN);
  const { url, farm } = await composed.listen();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = async (path: string, body: unknown): Promise<{ id: number }> => {
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { id: number };
  };
  // As many at once as one caller may have.
  for (let n = 0; n < count; n += 16) {
    const some = Array.from({ length: Math.min(16, count - n) }, (_, i) => n + i);
    await Promise.all(
      some.map(async (each) => {
        const { id } = await post("/api/equipment", equipment(each));
        const readings = METRICS.map((name, i) => ({ name, value: 20.5 + i, unit: "u" }));
        await post(`/api/equipment/${id}/readings`, { readings });
      }),
    );
  }
  const ports = [url, farm ?? url].map((each) => Number(new URL(each).port));
  process.send?.({
    port: ports[0],
    farmPort: ports[1],
    headers: { authorization: `Bearer ${token}` },
    startMs: performance.now() - started,
  });
}

/** The least a server of this list can do: the bytes are there, and are sent. */
function bytes(): void {
  const row = JSON.stringify({ ...equipment(0), padding: "x".repeat(560) });
  const body = Buffer.from(`[${Array.from({ length: count }, () => row).join(",")}]`);
  serve(() => body);
}

/** The usual way: rows from SQLite, JSON of them, for every call; without accounts, checks and zones. */
function sqlite(): void {
  const require = createRequire(new URL("../packages/store/package.json", import.meta.url));
  const Database = require("better-sqlite3") as typeof DatabaseType;
  const db = new Database(join(dir, "rows.db"));
  const columns = [
    "description",
    "type",
    "protocol",
    "address",
    "slave_id",
    "polling_interval_ms",
    "register_mappings",
  ];
  columns.push("write_only", "status", "enabled", "last_reading", "last_communication", "error_log", "created_at");
  columns.push("calibration_offset", "calibration_scale", "last_watchdog_alert", "updated_at");
  db.exec(`CREATE TABLE equipment (id INTEGER PRIMARY KEY, name TEXT, ${columns.join(", ")})`);
  const insert = db.prepare(
    `INSERT INTO equipment VALUES (${Array(columns.length + 2)
      .fill("?")
      .join(", ")})`,
  );
  for (let n = 0; n < count; n += 1) {
    const { name, type, protocol, register_mappings } = equipment(n);
    const reading = { values: Object.fromEntries(METRICS.map((each) => [each, { value: 20.5, unit: "u" }])) };
    const [mappings, last, at] = [JSON.stringify(register_mappings), JSON.stringify(reading), new Date().toISOString()];
    insert.run(
      n,
      name,
      null,
      type,
      protocol,
      null,
      null,
      1000,
      mappings,
      0,
      "online",
      1,
      last,
      at,
      null,
      at,
      0,
      1,
      null,
      at,
    );
  }
  const all = db.prepare("SELECT * FROM equipment ORDER BY name");
  serve(() => JSON.stringify(all.all()));
}

/** The usual table with the usual index, asked in the usual three ways. */
function table(): void {
  const require = createRequire(new URL("../packages/store/package.json", import.meta.url));
  const Database = require("better-sqlite3") as typeof DatabaseType;
  const db = new Database(join(dir, "readings.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec("CREATE TABLE readings (id INTEGER PRIMARY KEY, equipment_id, name, value REAL, unit, timestamp)");
  db.exec("CREATE INDEX by_equipment ON readings (equipment_id, timestamp)");
  const add = db.prepare("INSERT INTO readings (equipment_id, name, value, unit, timestamp) VALUES (1, ?, ?, 'u', ?)");
  db.transaction(() => {
    for (const { name, value, at } of pastReadings(Number(past), PAST_DAYS)) {
      add.run(name, value, new Date(at).toISOString());
    }
  })();
  const page = db.prepare("SELECT * FROM readings WHERE equipment_id = 1 ORDER BY timestamp DESC LIMIT 25");
  const stats = db.prepare(
    "SELECT name, unit, avg(value), min(value), max(value), count(*) FROM readings WHERE equipment_id = 1 GROUP BY name",
  );
  const chart = db.prepare(
    "SELECT substr(timestamp, 1, 13) AS hour, name, avg(value), min(value), max(value), count(*) FROM readings " +
      "WHERE equipment_id = 1 AND timestamp >= ? GROUP BY hour, name",
  );
  serve(({ url = "" }) => {
    const from = new URL(url, "http://bench").searchParams.get("from");
    return JSON.stringify(from === null ? { readings: page.all(), stats: stats.all() } : chart.all(from));
  });
}

/** The usual way in: parse, and insert in one transaction. */
function insert(): void {
  const require = createRequire(new URL("../packages/store/package.json", import.meta.url));
  const Database = require("better-sqlite3") as typeof DatabaseType;
  const db = new Database(join(dir, "readings.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec(
    "CREATE TABLE readings (id INTEGER PRIMARY KEY, equipment_id, name, value REAL, unit, timestamp, created_at)",
  );
  db.exec("CREATE INDEX by_equipment ON readings (equipment_id, timestamp)");
  const add = db.prepare(
    "INSERT INTO readings (equipment_id, name, value, unit, timestamp, created_at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  let rows = 0;
  interface Posted {
    readonly name: string;
    readonly value: number;
    readonly unit: string;
    readonly timestamp: string;
  }
  const addAll = db.transaction((id: string, readings: readonly Posted[]) => {
    const at = new Date().toISOString();
    for (const { name, value, unit, timestamp } of readings) add.run(id, name, value, unit, timestamp, at);
  });
  process.on("message", (question) => question === "count" && process.send?.(rows));
  serve((req, text) => {
    const posted = JSON.parse(text) as Posted | { readonly readings: readonly Posted[] };
    const readings = "readings" in posted ? posted.readings : [posted];
    addAll(/equipment\/(\d+)/.exec(req.url ?? "")?.[1] ?? "", readings);
    rows += readings.length;
    return JSON.stringify({ count: readings.length });
  }, 201);
}

function serve(answer: (req: IncomingMessage, text: string) => string | Buffer, status = 200): void {
  const server = createHttp((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => respond(res, answer(req, Buffer.concat(chunks).toString("utf8"))));
  });
  const respond = (res: ServerResponse, body: string | Buffer): void => {
    res.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
    res.end(body);
  };
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port, startMs: 0 }));
}

const variants: Record<string, () => void | Promise<void>> = { hub, bytes, sqlite, insert, table };
await variants[variant]?.();
