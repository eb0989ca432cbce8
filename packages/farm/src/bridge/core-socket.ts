import { isJsonObject, millis, seconds, type Cancel, type Clock, type Log } from "@steading/kernel";
import { parseBoundedJson } from "./bounded-json.ts";
import type { CoreAddress } from "./core-address.ts";
import { toWhole } from "./core-values.ts";
import type { Looked } from "./core-watch.ts";

/** As much of a WebSocket as is used here: the one of newer Nodes and of browsers. */
export interface SocketLike {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}
export type OpenSocket = (url: string) => SocketLike;

export interface CoreSocket {
  start(): void;
  stop(): void;
}

const FIRST_PAUSE = seconds(2);
const LONGEST_PAUSE = seconds(60);
const PING_EVERY = seconds(30);
/** Two pings without a word. */
const SILENCE = seconds(75);
const MOST_FRAME = 1024 * 1024;

/** Hears from the core that something has happened. What exactly, the core is asked: a frame is a hint and no fact. */
export function createCoreSocket({
  address,
  open,
  token,
  clock,
  log,
  onHint,
  onReading,
  onLive,
}: {
  readonly address: CoreAddress;
  readonly open: OpenSocket;
  /** Our own core wants one; the reference does not look at it. */
  readonly token: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onHint: (what: Looked) => void;
  readonly onReading: (equipmentId: number) => void;
  readonly onLive: (live: boolean) => void;
}): CoreSocket {
  let socket: SocketLike | undefined;
  let running = false;
  let pause: number = FIRST_PAUSE;
  let heardAt = 0;
  let timer: Cancel = () => {};

  function hear(data: unknown): void {
    heardAt = clock.monotonic();
    if (typeof data !== "string" || data.length > MOST_FRAME) return;
    const frame = parseBoundedJson(data);
    if (!isJsonObject(frame) || typeof frame["type"] !== "string") return;
    const { type, data: about } = frame;
    // The first word of both cores; only then does anybody listen to them.
    if (type === "connected") {
      pause = FIRST_PAUSE;
      onLive(true);
    }
    const id = isJsonObject(about) ? toWhole(about["equipment_id"] ?? about["equipmentId"] ?? about["id"]) : undefined;
    if (type === "sensor_reading" || type === "equipment_reading") {
      if (id !== undefined) onReading(id);
      return;
    }
    for (const what of hintsOf(type)) onHint(what);
  }

  function broken(from: SocketLike): void {
    if (socket !== from) return;
    socket = undefined;
    timer();
    onLive(false);
    if (!running) return;
    timer = clock.timer(millis(pause), () => void dial());
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }

  function ping(to: SocketLike): void {
    if (socket !== to) return;
    if (clock.monotonic() - heardAt > SILENCE) {
      to.close();
      return broken(to);
    }
    say(to, { type: "ping" });
    timer = clock.timer(PING_EVERY, () => ping(to));
  }

  function say(to: SocketLike, message: object): void {
    try {
      to.send(JSON.stringify(message));
    } catch {
      broken(to); // it closed in between
    }
  }

  async function dial(): Promise<void> {
    let mine: SocketLike;
    try {
      const shown = await token();
      if (!running || socket) return;
      mine = open(address.socket);
      socket = mine;
      heardAt = clock.monotonic();
      mine.addEventListener("open", () => {
        // In a message, because the header cannot be set everywhere and a protocol that is not taken up ends the socket.
        if (shown !== undefined) say(mine, { type: "auth", token: shown });
        // Nothing else may follow before the core has looked at it.
        if (socket === mine) timer = clock.timer(PING_EVERY, () => ping(mine));
      });
      mine.addEventListener("message", ({ data }) => hear(data));
      mine.addEventListener("close", () => broken(mine));
      mine.addEventListener("error", () => broken(mine));
    } catch (error) {
      log.debug("The core's socket could not be opened.", { error: error instanceof Error ? error.name : "unknown" });
      if (!running) return;
      timer = clock.timer(millis(pause), () => void dial());
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  return {
    start() {
      if (running) return;
      running = true;
      void dial();
    },
    stop() {
      running = false;
      timer();
      const open = socket;
      socket = undefined;
      open?.close();
    },
  };
}

function hintsOf(type: string): readonly Looked[] {
  if (type.startsWith("equipment_") || type.startsWith("relay_")) return ["equipment"];
  if (type === "new_alert" || type.startsWith("alert_")) return ["alerts"];
  if (type.startsWith("automation_")) return ["automations"];
  return type.startsWith("zone_") ? ["zones", "equipment"] : [];
}

/** Newer Nodes have one; where there is none, the core is looked at in turn. */
export function ownSocket(): OpenSocket | undefined {
  const make: unknown = Reflect.get(globalThis, "WebSocket");
  if (typeof make !== "function") return undefined;
  return (url) => Reflect.construct(make, [url]) as SocketLike; // what its standard says it is
}
