import type { Socket } from "node:net";
import { ROLES, type Clock, type Duration } from "@steading/kernel";
import * as z from "zod";

const Hello = z.object({
  steading: z.literal(1),
  role: z.enum(ROLES),
  view: z.string().max(64).default("all"),
});
/** Which role a local connection wants to speak with, and which tools it wants to see. */
export type Hello = z.infer<typeof Hello>;
const LONGEST = 1_024;

/**
 * The first line of a local connection. Undefined: it said something else, said it too slowly, or left. What follows the
 * line stays in the socket for the next reader.
 */
export function readHello(socket: Socket, clock: Clock, within: Duration): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const tooLate = clock.timer(within, () => finish(undefined));

    function finish(hello: Hello | undefined): void {
      tooLate();
      socket.off("readable", read).off("close", gone).off("error", gone);
      resolve(hello);
    }
    function gone(): void {
      finish(undefined);
    }
    function read(): void {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        seen = Buffer.concat([seen, chunk]);
        const end = seen.indexOf(0x0a);
        if (end >= 0) {
          if (end + 1 < seen.length) socket.unshift(seen.subarray(end + 1));
          return finish(parse(seen.subarray(0, end).toString("utf8")));
        }
        if (seen.length > LONGEST) return finish(undefined);
      }
    }
    socket.on("readable", read).on("close", gone).on("error", gone);
  });
}

function parse(line: string): Hello | undefined {
  try {
    return Hello.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
