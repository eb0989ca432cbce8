import {
  seconds,
  type Accounts,
  type Cancel,
  type Clock,
  type Json,
  type JsonObject,
  type PartSocket,
  type SocketHandlers,
  type SocketRequest,
  type SocketRoute,
} from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import type { FarmEvent } from "../model/farm-events.ts";
import { UNNAMED } from "../model/farm-history.ts";
import { iso } from "../model/instant.ts";
import { alertRow } from "../rows/alert-row.ts";
import { equipmentRow } from "../rows/equipment-row.ts";
import { shaped } from "./farm-route.ts";

const AUTH_WAIT = seconds(5);
const MOST_BUFFERED = 1024 * 1024;
const MOST_MESSAGE = 16 * 1024;
const NOT_ALLOWED = 1008;

interface Client {
  readonly socket: PartSocket;
  readonly identify: SocketRequest["identify"];
  /** Undefined until it has shown one. */
  token: string | undefined;
  /** Its token is being looked at. */
  checking: boolean;
  /** What it said meanwhile: one message, for who sends two before being let in does not wait for anything. */
  waiting: string | Uint8Array | undefined;
  over: boolean;
  cancel: Cancel;
}

export interface FarmSocket {
  readonly route: SocketRoute;
  stop(): void;
}

/** What happens on the farm, as it happens, for whoever has a token that stands. */
export function createFarmSocket({
  core,
  accounts,
  clock,
}: {
  readonly core: FarmCore;
  readonly accounts: Pick<Accounts, "authenticate" | "onChange">;
  readonly clock: Clock;
}): FarmSocket {
  const clients = new Set<Client>();
  const frame = (type: string, data: Json): string => JSON.stringify({ type, data, timestamp: iso(clock.now()) });

  /** A token may end while its socket is open; then so does the socket. */
  async function check(client: Client): Promise<void> {
    const { token } = client;
    const known = token === undefined ? undefined : await accounts.authenticate(token);
    if (client.over) return;
    if (!known) return end(client, "The token is unknown, expired or revoked");
    client.cancel();
    const left = known.expiresAt === undefined ? undefined : known.expiresAt - clock.now();
    // Timers have a longest wait; a token that lives longer is looked at again by then.
    client.cancel =
      left === undefined ? () => {} : clock.timer(seconds(Math.min(left / 1_000, 86_400)), () => void check(client));
  }

  async function admit(client: Client, token: string): Promise<boolean> {
    const known = await accounts.authenticate(token);
    if (!known) return false;
    client.token = token;
    await check(client);
    if (client.over) return false;
    client.socket.send(frame("connected", { message: "Connected" }));
    return true;
  }

  function tell(type: string, data: Json): void {
    let text: string | undefined;
    for (const client of clients) {
      if (client.token === undefined) continue;
      if (client.socket.buffered > MOST_BUFFERED) {
        end(client, "Too slow");
        continue;
      }
      text ??= frame(type, data);
      client.socket.send(text);
    }
  }

  const forgetEvents = core.events.on((event) => {
    if (clients.size > 0) for (const [type, data] of framesFor(event, core)) tell(type, data);
  });
  const forgetAccounts = accounts.onChange(() => {
    for (const client of clients) if (client.token !== undefined) void check(client);
  });

  function hear(client: Client, data: string | Uint8Array): void {
    if (client.over) return;
    if (client.checking) {
      if (client.waiting !== undefined) return end(client, "A token is needed first");
      client.waiting = data;
      return;
    }
    const message = parse(data);
    if (client.token === undefined) return hearToken(client, message);
    if (message?.["type"] === "ping") client.socket.send(frame("pong", {}));
  }

  function hearToken(client: Client, message: JsonObject | undefined): void {
    const token = message?.["type"] === "auth" ? message["token"] : undefined;
    const refuse = (): void => end(client, "A token is needed first");
    if (typeof token !== "string") return refuse();
    client.checking = true;
    const heard = (admitted: boolean): void => {
      const { waiting } = client;
      client.checking = false;
      client.waiting = undefined;
      if (!admitted) return refuse();
      if (waiting !== undefined) hear(client, waiting);
    };
    // Told to the server as well, which counts strangers apart.
    void client
      .identify(token)
      .then((who) => (who === undefined ? false : admit(client, token)))
      .then(heard, refuse);
  }

  function end(client: Client, why: string): void {
    if (client.over) return;
    forget(client);
    client.socket.close(NOT_ALLOWED, why);
  }

  function forget(client: Client): void {
    client.over = true;
    client.waiting = undefined;
    client.cancel();
    clients.delete(client);
  }

  async function open(request: SocketRequest, socket: PartSocket): Promise<SocketHandlers | undefined> {
    const client: Client = {
      socket,
      identify: (token) => request.identify(token),
      token: undefined,
      checking: false,
      waiting: undefined,
      over: false,
      cancel: () => {},
    };
    const token = tokenOf(request);
    if (token !== undefined && !(await admit(client, token))) return undefined;
    clients.add(client);
    if (token === undefined) {
      client.cancel = clock.timer(AUTH_WAIT, () => end(client, "No token came in time"));
    }
    return {
      message: (data) => hear(client, data),
      closed: () => forget(client),
    };
  }

  return {
    route: {
      path: "/ws",
      role: "own",
      protocols: ["bearer"],
      maxMessageBytes: MOST_MESSAGE,
      maxBufferedBytes: MOST_BUFFERED,
      open,
    },
    stop() {
      forgetEvents();
      forgetAccounts();
      for (const { cancel } of clients) cancel();
    },
  };
}

function tokenOf({ headers, protocols }: SocketRequest): string | undefined {
  const [, bearer] = /^Bearer ([\w.~+/-]+=*)$/i.exec(headers["authorization"] ?? "") ?? [];
  const [first, second] = protocols;
  return bearer ?? (first?.toLowerCase() === "bearer" ? second : undefined);
}

function parse(data: string | Uint8Array): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(typeof data === "string" ? data : Buffer.from(data).toString("utf8"));
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The frames that the reference's user interface waits for. */
function framesFor(event: FarmEvent, core: FarmCore): readonly (readonly [string, Json])[] {
  const { book } = core;
  switch (event.kind) {
    case "equipment": {
      const equipment = book.find(event.id);
      if (event.change === "deleted") return [["equipment_deleted", { id: event.id }]];
      if (!equipment) return [];
      if (event.change === "status") {
        const { status, errorLog } = book.state(event.id);
        return [["equipment_status", { id: event.id, name: equipment.name, status, error: errorLog }]];
      }
      return [[`equipment_${event.change}`, shaped(equipmentRow(equipment, core), undefined)]];
    }
    case "reading": {
      const name = book.find(event.id)?.name ?? null;
      return event.readings.map((each) => [
        "sensor_reading",
        {
          equipment_id: event.id,
          equipment_name: name,
          name: each.name === UNNAMED ? null : each.name,
          value: each.value,
          unit: each.unit,
          timestamp: iso(each.at),
        },
      ]);
    }
    case "relay":
      return relayFrames(event.data, iso(core.now()));
    case "control":
      return [["equipment_control", { id: event.id, name: book.find(event.id)?.name ?? null, ...event.data }]];
    case "alert": {
      if (event.change === "seen") return [];
      const type = event.change === "created" ? "new_alert" : `alert_${event.change}`;
      return [[type, shaped(alertRow(core.alerts.get(event.id), core), undefined)]];
    }
    case "automation":
      return event.change === "ended" ? [["automation_executed", event.data ?? {}]] : [];
    case "template":
      return [["automation_template_updated", event.data]];
    case "connectivity":
      return [["connectivity_change", event.data]];
    case "zone":
      return [];
  }
}

/** A switch of one channel is also an event of its own, as it stands in the list of them. */
function relayFrames(data: JsonObject, timestamp: string): readonly (readonly [string, Json])[] {
  if ("relayStates" in data) return [["relay_state_changed", { ...data, timestamp }]];
  const { equipmentId, channel, state, source, automationId = null, confirmed } = data;
  const row = { equipment_id: equipmentId ?? null, channel: channel ?? null, state: state === true ? 1 : 0 };
  return [
    ["relay_state_changed", data],
    [
      "relay_event",
      {
        ...row,
        source: source ?? null,
        automation_id: automationId,
        confirmed: confirmed ?? false,
        created_at: timestamp,
      },
    ],
  ];
}
