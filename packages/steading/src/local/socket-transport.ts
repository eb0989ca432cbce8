import type { Socket } from "node:net";
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";

/** MCP over an open local socket, one message a line. */
export function createSocketTransport(socket: Socket): Transport {
  const lines = new ReadBuffer();
  const transport: Transport = {
    start() {
      socket.on("data", (piece: Buffer) => {
        lines.append(piece);
        readAll();
      });
      socket.on("error", (error) => transport.onerror?.(error));
      socket.on("close", () => transport.onclose?.());
      return Promise.resolve();
    },
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        socket.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    close() {
      socket.destroy();
      return Promise.resolve();
    },
  };

  function readAll(): void {
    try {
      for (let message = lines.readMessage(); message !== null; message = lines.readMessage())
        transport.onmessage?.(message);
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return transport;
}
