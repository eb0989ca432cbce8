import { once } from "node:events";
import { connect } from "node:net";
import type { LampAddress } from "../lamp.ts";

/** A socket and nothing else: what a test sends is exactly what travels. */
export interface RawClient {
  send(hexOrText: string | Uint8Array): void;
  /** Resolves with all bytes received so far once there are at least this many; rejects when the lamp hangs up first. */
  received(atLeast: number): Promise<string>;
  /** Everything received up to now. */
  readonly text: string;
  /** Resolves when the lamp has closed the connection. */
  closed(): Promise<void>;
  end(): void;
  close(): void;
}

export async function connectRaw({ host, port }: LampAddress): Promise<RawClient> {
  const socket = connect({ host, port, noDelay: true });
  let text = "";
  let pieces: (() => void)[] = [];
  const gone = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
    for (const wake of pieces.splice(0)) wake();
  });
  socket.on("error", () => {}); // `close` follows, and tests look at that
  await once(socket, "connect");

  return {
    send: (data) => void socket.write(data),
    async received(atLeast) {
      while (text.length < atLeast) {
        const more = new Promise<"more">((resolve) => void pieces.push(() => resolve("more")));
        const what = await Promise.race([more, gone.then(() => "gone" as const)]);
        if (what === "gone" && text.length < atLeast)
          throw new Error(`The lamp hung up after ${JSON.stringify(text)}.`);
      }
      return text;
    },
    get text() {
      return text;
    },
    closed: () => gone,
    end: () => void socket.end(),
    close: () => void socket.destroy(),
  };
}
