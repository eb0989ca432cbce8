import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { serveLampConnection, type LampReply } from "./lamp-connection.ts";
import { createLampController, toAnswer, toLampRequest, type LampState } from "./lamp-controller.ts";
import { createLampGarbage } from "./lamp-garbage.ts";
import { createLampKnobs, type LampKnobs } from "./lamp-knobs.ts";
import type { LampLine } from "./lamp-line-reader.ts";
import { createLampWaiters } from "./lamp-waiters.ts";
import { createLampWireLog, type LampWireEntry } from "./lamp-wire-log.ts";

export interface LampAddress {
  readonly host: string;
  readonly port: number;
}

export interface LampOptions {
  readonly host?: string;
  /** 0: a free one, kept over `stop` and `start`. */
  readonly port?: number;
  readonly log?: { debug(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void };
  /** Starts the timers of the knob `slow`; the machine's own unless given. */
  readonly timer?: (afterMs: number, fire: () => void) => unknown;
  /** Lines the wire log keeps. Default 10 000. */
  readonly wireLogLimit?: number;
}

export interface Lamp {
  start(): Promise<LampAddress>;
  /** Unplugs the lamp: drops connections and stops listening. State, counter and wire log stay. */
  stop(): Promise<void>;
  /** What the lamp truly is, whatever it answers. */
  readonly state: LampState;
  /** Switch commands carried out since the lamp was made or last set back. */
  readonly switchCommands: number;
  readonly connections: number;
  readonly knobs: LampKnobs;
  /** Every line received, oldest first, the newest `wireLogLimit` of them. */
  readonly wire: readonly LampWireEntry[];
  readonly wireDropped: number;
  /** Resolves as soon as the predicate holds; it is asked at once and after every line, connection and disconnection. */
  waitFor(predicate: (lamp: Lamp) => boolean, signal?: AbortSignal): Promise<void>;
}

/** One lamp behind a TCP port, as docs/reference/lamp-protocol.md describes it. */
export function createLamp({
  host = "127.0.0.1",
  port = 0,
  log,
  timer = machineTimer,
  wireLogLimit = 10_000,
}: LampOptions = {}): Lamp {
  const controller = createLampController();
  const wireLog = createLampWireLog({ limit: wireLogLimit });
  const waiters = createLampWaiters();
  const garbage = createLampGarbage();
  const sockets = new Set<Socket>();
  const { knobs, opened } = createLampKnobs({ cut: dropConnections });
  let server: Server | undefined;
  let connectionsMade = 0;
  let listenPort = port;

  function reply(connection: number, line: LampLine): LampReply {
    const request = toLampRequest(line);
    const carriedOut = !knobs.deaf;
    const truth = carriedOut ? controller.carryOut(request) : undefined;
    const entry = wireLog.add({ connection, request, carriedOut });
    log?.debug("line", { order: entry.order, connection, request: request.kind, carriedOut });
    waiters.check();
    if (truth === undefined || knobs.silent) return { kind: "nothing" };
    if (knobs.hangUp) return { kind: "hang-up" };
    const answer = request.kind === "read" && knobs.lyingReadBack ? toAnswer(controller.lie) : truth;
    const bytes = knobs.garbage ? garbage.next() : Uint8Array.from(Buffer.from(`${answer}\n`, "ascii"));
    return { kind: "answer", bytes, moment: momentToAnswer(), dribble: knobs.dribble };
  }

  async function momentToAnswer(): Promise<void> {
    const delay = knobs.slow;
    await opened();
    if (delay > 0) await new Promise<void>((resolve) => void timer(delay, resolve));
  }

  function accept(socket: Socket): void {
    connectionsMade += 1;
    const connection = connectionsMade;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      waiters.check();
    });
    serveLampConnection({ socket, reply: (line) => reply(connection, line) });
    log?.debug("connected", { connection });
    waiters.check();
  }

  function dropConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  const lamp: Lamp = {
    async start() {
      server ??= createServer({ allowHalfOpen: true }, accept);
      if (!server.listening) await listen(server, host, listenPort);
      // A TCP server that listens has an address object; the string form belongs to pipes.
      listenPort = (server.address() as AddressInfo).port;
      return { host, port: listenPort };
    },
    async stop() {
      const ending = server;
      server = undefined;
      waiters.fail(new Error("The lamp was stopped."));
      if (!ending) return;
      const ended = new Promise<void>((resolve) => void ending.close(() => resolve()));
      dropConnections();
      await ended;
    },
    get state() {
      return controller.state;
    },
    get switchCommands() {
      return controller.switchCommands;
    },
    get connections() {
      return sockets.size;
    },
    knobs,
    get wire() {
      return wireLog.entries;
    },
    get wireDropped() {
      return wireLog.dropped;
    },
    waitFor: (predicate, signal) => waiters.wait(() => predicate(lamp), signal),
  };
  return lamp;
}

/** Does not keep the process alive: an answer nobody waits for is no reason to stay. */
function machineTimer(afterMs: number, fire: () => void): void {
  setTimeout(fire, afterMs).unref();
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void =>
      reject(
        new Error(`The lamp cannot listen on ${host}:${port}; choose another port or stop what uses it.`, { cause }),
      );
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}
