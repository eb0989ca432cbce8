import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { recordStream } from "./run-record.ts";
import { plainEnvironment, STEADING_COMMAND } from "./steading-command.ts";

/** `steading stdio` without a client library: it says nothing until it is told to. */
export interface RawStdio {
  /** Is anybody connected to this socket besides its listener? */
  isAttached(socket: string): boolean;
  /** Sends server/discover and resolves with the answer's line; rejects when the process ends first. */
  discover(): Promise<string>;
  close(): void;
}

const DISCOVER = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

export function spawnStdio(args: readonly string[]): RawStdio {
  const child = spawn(process.execPath, [STEADING_COMMAND, "stdio", ...args], {
    env: plainEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  recordStream("logs", child.stderr);
  child.stdin.on("error", () => {}); // a process that is gone reads no more; `exit` tells
  const lines = createInterface({ input: child.stdout });
  return {
    // The kernel lists a socket once for its listener and once for each connection.
    isAttached: (socket) => readFileSync("/proc/net/unix", "utf8").split(socket).length - 1 > 1,
    discover: () =>
      new Promise((resolve, reject) => {
        lines.once("line", resolve);
        child.once("exit", (code) => reject(new Error(`steading stdio ended with code ${code}.`)));
        if (child.exitCode !== null) reject(new Error(`steading stdio had ended with code ${child.exitCode}.`));
        child.stdin.write(`${JSON.stringify(DISCOVER)}\n`);
      }),
    close: () => void child.kill("SIGTERM"),
  };
}
