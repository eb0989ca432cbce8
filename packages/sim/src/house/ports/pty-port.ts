import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { PTY_BRIDGE } from "./pty-bridge.data.ts";

export type PtyAddress = { readonly path: string } | { readonly unavailable: string };

export interface PtyPort {
  /** Never fails: where the machine has no python3 or no pseudo terminals it says so. */
  start(plainPort: number): Promise<PtyAddress>;
  stop(): Promise<void>;
}

/** A serial line without hardware. Node has no pseudo terminals, python3 has, and a child process bridges to the plain port. */
export function createPtyPort({ python = "python3" }: { python?: string } = {}): PtyPort {
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let address: Promise<PtyAddress> | undefined;

  return {
    start(plainPort) {
      address ??= begin(plainPort);
      return address;
    },
    async stop() {
      child?.kill();
      child = undefined;
      address = undefined;
      await ended;
    },
  };

  function begin(plainPort: number): Promise<PtyAddress> {
    const bridge = spawn(python, ["-u", "-c", PTY_BRIDGE, String(plainPort)], { stdio: ["ignore", "pipe", "pipe"] });
    child = bridge;
    let complaint = "";
    bridge.stderr.on("data", (text: Buffer) => {
      complaint = `${complaint}${text.toString("utf8")}`.slice(-500);
    });
    ended = new Promise<void>((resolve) => {
      bridge.once("close", () => resolve());
      bridge.once("error", () => resolve()); // it did not start, so it will not close either
    });
    return new Promise<PtyAddress>((resolve) => {
      createInterface({ input: bridge.stdout }).once("line", (path) => resolve({ path }));
      bridge.once("error", (cause) =>
        resolve({ unavailable: `No pseudo terminal: ${python} did not start (${cause.message}); install python3.` }),
      );
      bridge.once("close", () => resolve({ unavailable: `No pseudo terminal: ${complaint.trim() || "it ended"}` }));
    });
  }
}
