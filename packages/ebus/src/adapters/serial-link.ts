import type { SerialPort } from "serialport";
import { createLinkEnd, type Dial, type Link } from "./link.ts";
import { noticeHangup } from "./serial-hangup.ts";

/** Opens a serial line, or a pseudo terminal that looks like one. 8 data bits, no parity, one stop bit. */
export function createSerialDial({ path, baud }: { readonly path: string; readonly baud: number }): Dial {
  return async (signal) => {
    // A native file: loaded for those who have a serial line, so that a machine without one never misses it.
    const library = await import("serialport");
    signal.throwIfAborted();
    return open(new library.SerialPort({ path, baudRate: baud, autoOpen: false }), signal);
  };
}

function open(port: SerialPort, signal: AbortSignal): Promise<Link> {
  return new Promise<Link>((resolve, reject) => {
    const end = createLinkEnd();
    let failure: Error | undefined;
    // Opening cannot be interrupted; a line that opens after all is closed again.
    const abort = (): void => reject(new Error(`Opening ${port.path} was given up.`));
    signal.addEventListener("abort", abort, { once: true });
    port.on("error", (error: Error) => {
      failure = error;
      close();
    });
    port.on("close", (error?: Error | null) => end.tell(error ?? failure));

    function close(): void {
      if (port.isOpen) port.close(() => end.tell(failure));
      else end.tell(failure);
    }

    port.open((error) => {
      signal.removeEventListener("abort", abort);
      if (error) return reject(error);
      if (signal.aborted) return close();
      if (port.port) noticeHangup(port.port);
      resolve({
        write: (bytes) => void port.write(bytes),
        onPiece: (listener) => void port.on("data", listener),
        onEnd: end.onEnd,
        close,
      });
    });
  });
}
