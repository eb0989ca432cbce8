import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { PortCounters } from "./port-counters.ts";
import type { Session, SessionOutput } from "./session.ts";

export const HOST = "127.0.0.1";
const MOST_CONNECTIONS = 16;
/** A host that reads nothing for so long is cut off; SYN alone fill this in half an hour. */
const MOST_UNREAD_BYTES = 65_536;

export interface PortAddress {
  readonly host: string;
  readonly port: number;
}

export interface TcpPort {
  /** 0 is a free port, the same one again after a stop. */
  start(port: number): Promise<PortAddress>;
  stop(): Promise<void>;
  cut(): void;
  readonly connections: number;
}

export function createTcpPort({
  name,
  open,
  dribble,
  refuse,
  counters,
  onChange,
}: {
  name: string;
  open: (output: SessionOutput) => Session;
  dribble: () => boolean;
  refuse: () => boolean;
  counters: PortCounters;
  onChange: () => void;
}): TcpPort {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let lastPort = 0;

  function accept(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (refuse() || sockets.size >= MOST_CONNECTIONS) {
      counters.refused += 1;
      return void socket.destroy();
    }
    socket.setNoDelay(true);
    sockets.add(socket);
    const session = open((bytes) => {
      if (socket.destroyed) return;
      if (socket.writableLength > MOST_UNREAD_BYTES) {
        counters.cutOff += 1;
        return void socket.destroy();
      }
      if (dribble()) for (const byte of bytes) socket.write(Uint8Array.of(byte));
      else socket.write(Uint8Array.from(bytes));
    });
    socket.on("data", (bytes) => session.receive(bytes));
    socket.once("close", () => {
      session.close();
      sockets.delete(socket);
      onChange();
    });
    onChange();
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  return {
    async start(asked) {
      if (server !== undefined) return { host: HOST, port: lastPort };
      const port = asked === 0 ? lastPort : asked;
      const listening = createServer(accept);
      await new Promise<void>((resolve, reject) => {
        const onError = (cause: Error): void =>
          reject(
            new Error(`The ${name} port cannot listen on ${HOST}:${port}; choose another or free it.`, {
              cause,
            }),
          );
        listening.once("error", onError);
        listening.listen(port, HOST, () => {
          listening.off("error", onError);
          resolve();
        });
      });
      server = listening;
      // A TCP server that listens has an address object; the string form belongs to pipes.
      lastPort = (listening.address() as AddressInfo).port;
      return { host: HOST, port: lastPort };
    },
    async stop() {
      const ending = server;
      server = undefined;
      if (ending === undefined) return;
      const ended = new Promise<void>((resolve) => void ending.close(() => resolve()));
      cut();
      await ended;
    },
    cut,
    get connections() {
      return sockets.size;
    },
  };
}
