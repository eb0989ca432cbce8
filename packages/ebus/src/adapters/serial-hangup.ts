import { read } from "node:fs";
import { promisify } from "node:util";
import type { SerialPort } from "serialport";

type OpenLine = NonNullable<SerialPort["port"]>;
const readFrom = promisify(read);
/** Nothing to read yet. */
const NOT_YET: ReadonlySet<unknown> = new Set(["EAGAIN", "EWOULDBLOCK", "EINTR"]);

/**
 * On Unix a line whose far end is gone reads as nothing at all, for ever. The library takes that for "not yet" and asks
 * again at once, so that it burns a core and never tells; only a write would. Here it ends the line. A line that waits
 * for at least one byte, as the library opens it, reads as nothing in no other case.
 */
export function noticeHangup(line: OpenLine): void {
  if (!("poller" in line)) return; // Windows reads in its own way
  const { poller } = line;

  line.read = async (buffer, offset, length) => {
    for (;;) {
      if (line.fd === null) throw Object.assign(new Error("The line is closed."), { canceled: true });
      try {
        const { bytesRead } = await readFrom(line.fd, buffer, offset, length, null);
        if (bytesRead > 0) return { buffer, bytesRead };
      } catch (cause) {
        if (!(cause instanceof Error && "code" in cause && NOT_YET.has(cause.code))) throw cause;
        await new Promise<void>((resolve, reject) => {
          poller.once("readable", (error: Error | null) => (error ? reject(error) : resolve()));
        });
        continue;
      }
      throw new Error("The serial line has gone.");
    }
  };
}
