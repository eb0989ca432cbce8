import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog } from "@steading/kernel";
import { createHub, parseSettings } from "@steading/steading";
import type DatabaseType from "better-sqlite3";

// A server of its own for the farm's benchmarks: the whole hub on a data directory, or what it is measured against.
// Arguments: what to be, how many devices, and for the hub its settings.

const [variant = "", devices = "50", settings = "{}"] = process.argv.slice(2);
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

const METRICS = ["temperature", "humidity", "ec"];
const equipment = (n: number) => ({
  name: `Probe ${String(n).padStart(4, "0")}`,
  type: "sensor",
  protocol: "other",
  register_mappings: METRICS.map((name, register) => ({ name, register, type: "input", scale: 0.1, unit: "u" })),
});

/** The product: store, accounts, door, graph with its recorder, REST, both MCP ports. */
async function hub(): Promise<void> {
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

const variants: Record<string, () => void | Promise<void>> = { hub, bytes, sqlite, insert };
await variants[variant]?.();
