import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a request was, for tests that count. */
export interface CoreRequestSeen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Instead of the answer that would be due. */
export type Trouble = (response: ServerResponse, request: IncomingMessage) => void;

export interface ReferenceCore {
  readonly url: string;
  readonly seen: CoreRequestSeen[];
  /** Resolves when such a request has been answered. */
  next(path: string): Promise<void>;
  /** What was asked besides logins and session checks. */
  calls(): string[];
  /** E-mail and password of every login in turn. */
  readonly logins: string[];
  /** Token to role. */
  readonly tokens: Map<string, string>;
  /** Every request whose path begins so gets this instead. */
  trouble(path: string, trouble: Trouble | undefined): void;
  readonly equipment: Record<string, unknown>[];
  readonly automations: Record<string, unknown>[];
  readonly alerts: Record<string, unknown>[];
  /** Relay writes as they arrived. */
  readonly writes: { readonly id: number; readonly channel: unknown; readonly state: unknown }[];
  close(): Promise<void>;
  /** Listens at the same port again after `close`. */
  reopen(): Promise<void>;
}

const PASSWORD = "a password";

/**
 * A core with the reference's habits, after the contract's description of them: booleans as 0 and 1, JSON as text, two
 * forms of time, zones that its equipment does not mention and a filter for them that it ignores, a toggle that only
 * ever turns, device errors as `500 { error }`, and no `data` in its history.
 */
export async function startReferenceCore(): Promise<ReferenceCore> {
  const seen: CoreRequestSeen[] = [];
  const logins: string[] = [];
  const tokens = new Map<string, string>();
  const waiting: { path: string; resolve: () => void }[] = [];
  const troubles = new Map<string, Trouble>();
  const writes: { id: number; channel: unknown; state: unknown }[] = [];
  const equipment: Record<string, unknown>[] = [BOARD, SENSOR].map((row) => ({ ...row }));
  const automations: Record<string, unknown>[] = [{ ...PROGRAM }];
  const alerts: Record<string, unknown>[] = ALERTS.map((row) => ({ ...row }));

  function answerTo(path: string, query: URLSearchParams, body: Record<string, unknown>, method: string) {
    const [, id = "", rest = ""] = /^\/api\/(?:equipment|automations|zones)\/(\d+)\/?(.*)$/.exec(path) ?? [];
    const device = equipment.find((row) => String(row?.["id"]) === id);
    const program = automations.find((row) => String(row["id"]) === id);
    if (path === "/api/equipment") return { json: equipment };
    if (path === "/api/automations") return { json: automations };
    if (path === "/api/alerts") {
      // Anything but the two words is not understood, and everything is given.
      const wanted = { true: 1, false: 0 }[query.get("acknowledged") ?? ""];
      return { json: alerts.filter((row) => wanted === undefined || row["acknowledged"] === wanted) };
    }
    if (path === "/api/zones") return { json: ZONES };
    if (path.startsWith("/api/zones/")) {
      const inside = id === "2" ? [{ id: 1, name: "Relay board" }] : [];
      return { json: { ...ZONES.find((zone) => String(zone.id) === id), equipment: inside, children: [] } };
    }
    if (path === "/api/system/info") return { json: INFO };
    if (rest === "history" && device) return { json: { ...HISTORY, limit: Number(query.get("limit")) } };
    if (rest === "relay/control" && device && method === "POST") {
      writes.push({ id: Number(id), channel: body["channel"], state: body["state"] });
      device["last_reading"] = JSON.stringify({ relayStates: { [String(body["channel"])]: body["state"] } });
      return {
        json: { success: true, channel: body["channel"], state: body["state"], writeOnly: false, confirmed: true },
      };
    }
    if (rest === "toggle" && program) {
      program["enabled"] = program["enabled"] === 1 ? 0 : 1;
      return { json: { enabled: program["enabled"] === 1 } };
    }
    if (rest === "trigger" && program) {
      return {
        json: { success: true, automation_id: 5, automation_name: "Water", executed_actions: [], run_count: 3 },
      };
    }
    return { status: 404, json: { error: "Not Found", message: "Equipment not found" } };
  }

  function serve(request: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname: path, search, searchParams } = new URL(request.url ?? "/", "http://core");
    const { authorization } = request.headers;
    const method = request.method ?? "";
    seen.push({ method, path, query: search, authorization, body: text });
    const trouble = [...troubles].find(([prefix]) => path.startsWith(prefix))?.[1];
    if (trouble) return trouble(response, request);
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    if (path === "/api/health") return send(response, 200, HEALTH);
    if (path === "/api/auth/login") {
      logins.push(`${String(body["email"])} ${String(body["password"])}`);
      if (body["password"] !== PASSWORD) return send(response, 401, { error: "Unauthorized", message: "Wrong" });
      const token = `token-${logins.length}`;
      tokens.set(token, "operator");
      return send(response, 200, { token, user: USER, expiresAt: LATER });
    }
    const role = tokens.get((authorization ?? "").replace("Bearer ", ""));
    if (role === undefined) return send(response, 401, { error: "Unauthorized", message: "Invalid token" });
    if (path === "/api/auth/session") return send(response, 200, { user: { ...USER, role }, expiresAt: LATER });
    if (method === "POST" && role === "viewer") return send(response, 403, { error: "Forbidden", message: "Not you" });
    const { status = 200, json } = answerTo(path, searchParams, body, method) as { status?: number; json: unknown };
    send(response, status, json);
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    const path = request.url?.split("?")[0];
    response.on("close", () => {
      for (const [place, each] of [...waiting.entries()].toReversed()) {
        if (each.path === path) waiting.splice(place, 1).forEach(({ resolve }) => resolve());
      }
    });
    request.on("end", () => serve(request, response, Buffer.concat(pieces).toString()));
  });
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, "127.0.0.1", done));
  await listen(0);
  const { port } = server.address() as AddressInfo; // a TCP server has no other kind

  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    next: (path) => new Promise((resolve) => waiting.push({ path, resolve })),
    calls: () =>
      seen.filter(({ path }) => !path.startsWith("/api/auth/")).map(({ method, path }) => `${method} ${path}`),
    logins,
    tokens,
    trouble: (path, trouble) => void (trouble ? troubles.set(path, trouble) : troubles.delete(path)),
    equipment,
    automations,
    alerts,
    writes,
    reopen: () => listen(port),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export function send(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

const LATER = "2031-01-01T00:00:00.000Z";
const USER = { id: 7, email: "Anna@farm.example", name: "Anna", role: "operator" };
const HEALTH = { status: "ok", database: "connected", timestamp: "2026-01-01T00:00:00.000Z", version: "2.3.4" };
const coil = (register: string, label?: string) => ({
  name: `r${register}`,
  register,
  type: "coil",
  access: "readwrite",
  ...(label === undefined ? {} : { label }),
});
const BOARD = {
  id: 1,
  name: "Relay board",
  description: null,
  type: "relay",
  protocol: "modbus",
  address: "10.0.0.1:502",
  slave_id: 1,
  polling_interval_ms: 1000,
  register_mappings: JSON.stringify([coil("0", "Water Pump"), coil("1")]),
  write_only: 0,
  status: "online",
  enabled: 1,
  last_reading: JSON.stringify({ relayStates: { 0: true, 1: false } }),
  last_communication: "2025-12-31 23:59:50",
  error_log: null,
  calibration_offset: 0,
  calibration_scale: 1,
  created_at: "2025-01-02 03:04:05",
  updated_at: "2025-01-02T03:04:05.678Z",
};
const SENSOR = {
  ...BOARD,
  id: 2,
  name: "Air",
  type: "sensor",
  register_mappings: JSON.stringify([{ name: "temperature", register: "1", type: "input", unit: "C" }]),
  status: "error",
  last_reading: JSON.stringify({ values: { temperature: { value: 21.5, unit: "C" } } }),
};
const PROGRAM = {
  id: 5,
  name: "Water",
  description: "",
  enabled: 1,
  priority: 2,
  trigger_config: JSON.stringify({ type: "schedule", schedule_type: "daily", time: "06:30" }),
  conditions: "[]",
  condition_logic: "AND",
  actions: JSON.stringify([{ type: "control", equipment_id: 1, channel: 0, action: "on" }]),
  last_run: "2025-12-31 06:30:00",
  run_count: 2,
  template_id: null,
  created_at: "2025-01-02 03:04:05",
  updated_at: "2025-01-02 03:04:05",
};
const alert = (id: number, acknowledged: number, created_at: string) => ({
  id,
  equipment_id: 2,
  zone_id: null,
  severity: id === 9 ? "critical" : "info",
  message: `alert ${id}`,
  acknowledged,
  acknowledged_by: acknowledged ? 7 : null,
  acknowledged_at: acknowledged ? created_at : null,
  created_at,
  equipment_name: "Air",
  zone_name: null,
  acknowledged_by_name: acknowledged ? "Anna" : null,
});
// The later of the two has the form that sorts first as text.
const ALERTS = [alert(8, 1, "2025-12-30T10:00:00.000Z"), alert(9, 0, "2025-12-30 11:00:00")];
const ZONES = [
  { id: 1, name: "Farm", description: null, parent_id: null, equipment_count: 0 },
  { id: 2, name: "Shed", description: null, parent_id: 1, equipment_count: 1 },
];
const INFO = {
  version: "2.3.4",
  node_version: "v18.0.0",
  uptime: 77,
  memory: { total: 10, free: 4, used: 6 },
  cpus: 4,
  database: { connected: true, path: "/data/sensehub.db" },
};
const HISTORY = {
  readings: [
    { id: 31, equipment_id: 2, name: "temperature", value: 21.5, unit: "C", timestamp: "2025-12-31T12:00:00.000Z" },
    { id: 32, equipment_id: 2, name: "temperature", value: "22.5", unit: "C", timestamp: "2025-12-31 12:30:00" },
    { id: 33, equipment_id: 2, name: "temperature", value: "hot", unit: "C", timestamp: "2025-12-31 12:31:00" },
    { id: 34, equipment_id: 2, name: "humidity", value: 55, unit: "%", timestamp: "2025-12-31 12:29:00" },
  ],
  total: 40,
  stats: {
    temperature: { avg: 22, min: 21.5, max: 22.5, unit: "C", count: 30 },
    humidity: { avg: 55, min: 55, max: 55, unit: "%", count: 10 },
  },
  offset: 0,
};
