import type { Socket } from "node:net";
import { createLampLineReader, type LampLine } from "./lamp-line-reader.ts";

/** What to do for one line: send bytes once the moment has come, say nothing, or drop the connection. */
export type LampReply =
  | { readonly kind: "answer"; readonly bytes: Uint8Array; readonly moment: Promise<void>; readonly dribble: boolean }
  | { readonly kind: "nothing" }
  | { readonly kind: "hang-up" };

/** Answers that may wait on one connection; beyond it (and the segment at hand) the lamp reads no more until some have left. */
const MOST_WAITING_ANSWERS = 256;

/** One client: lines in, answers out, in the order of the lines whatever each answer has to wait for. */
export function serveLampConnection({ socket, reply }: { socket: Socket; reply: (line: LampLine) => LampReply }): void {
  const reader = createLampLineReader();
  let waiting = 0;
  let last = Promise.resolve();

  async function send(answer: LampReply & { kind: "answer" }, before: Promise<void>): Promise<void> {
    await before;
    await answer.moment;
    if (answer.dribble) {
      for (const byte of answer.bytes) await write(Uint8Array.of(byte));
    } else {
      await write(answer.bytes);
    }
    waiting -= 1;
    if (waiting < MOST_WAITING_ANSWERS) socket.resume();
  }

  /** Settles once the bytes were handed to the system, or never can be, so that each write is a segment of its own. */
  async function write(bytes: Uint8Array): Promise<void> {
    if (!socket.writable) return;
    await new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));
  }

  socket.setNoDelay(true);
  // A client that vanishes is an ordinary event for a lamp; `close` follows and tidies up.
  socket.on("error", () => socket.destroy());
  // Half-closed clients still get the answers to what they sent.
  socket.on("end", () => void last.then(() => socket.end()));
  socket.on("data", (piece) => {
    for (const line of reader.push(piece)) {
      if (socket.destroyed) return;
      const what = reply(line);
      if (what.kind === "hang-up") socket.destroy();
      if (what.kind !== "answer") continue;
      waiting += 1;
      if (waiting >= MOST_WAITING_ANSWERS) socket.pause();
      last = send(what, last);
    }
  });
}
