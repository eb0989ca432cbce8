import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { server as servers } from "jsmodbus";

/** Somebody else's Modbus TCP server, on a port of its own. It answers every unit from the same four tables. */
export interface ForeignServer {
  readonly port: number;
  readonly coils: Buffer;
  readonly holding: Buffer;
  readonly input: Buffer;
  readonly discrete: Buffer;
  /** Connections made so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function startForeignServer(): Promise<ForeignServer> {
  const tables = {
    coils: Buffer.alloc(256),
    discrete: Buffer.alloc(256),
    holding: Buffer.alloc(512),
    input: Buffer.alloc(512),
  };
  const listener = createServer();
  const modbus = new servers.TCP(listener, tables);
  const sockets = new Set<Socket>();
  let connections = 0;
  listener.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    // A TCP server that listens has an address with a port.
    port: (listener.address() as AddressInfo).port,
    coils: modbus.coils,
    holding: modbus.holding,
    input: modbus.input,
    discrete: modbus.discrete,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}
