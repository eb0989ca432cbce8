import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { jsonFileAppears } from "./file-appears.ts";
import { recordOutput, recordStream, registerSecretFiles, secret } from "./run-record.ts";
import { plainEnvironment, STEADING_COMMAND } from "./steading-command.ts";

export const BOOTSTRAP_TOKEN = secret("acceptance-token-0123456789-0123456789");

export interface HubSettings {
  readonly data: string;
  readonly config: string;
  /** Called with the process id as soon as there is one, long before the hub is ready. */
  readonly onSpawn?: (pid: number) => void;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A hub in a process of its own, reachable through its public doors only. */
export interface HubProcess {
  readonly url: string;
  readonly mcp: string;
  readonly token: string;
  readonly pid: number;
  /** All of the ready file. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<Ended>;
  /** What it wrote to both outputs, its newest 64 KiB. */
  output(): string;
  /** Asks it to end (SIGTERM) and waits until it has. */
  stop(): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A hub that takes longer to end has hung; it is not left behind. */
const STOP_MS = 20_000;

/** Marks every line, or the reporter would take the hub's own stack traces for those of the error that quotes them. */
function marked(output: string): string {
  return output.replaceAll(/^/gm, "| ");
}

/** The hub ended before it was ready. */
export class HubEndedEarly extends Error {
  readonly ended: Ended;
  constructor(ended: Ended, output: string) {
    super(`The hub ended before it was ready (code ${ended.code}, signal ${ended.signal}):\n${marked(output)}`);
    this.ended = ended;
  }
}

/** Starts `steading start` and waits for its ready file. */
export async function startHub({ data, config, onSpawn, environment = {} }: HubSettings): Promise<HubProcess> {
  const readyFile = join(dirname(data), `ready-${randomUUID()}.json`);
  const args = [
    "start",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--data",
    data,
    "--config",
    config,
    "--ready-file",
    readyFile,
  ];
  const child = spawn(process.execPath, [STEADING_COMMAND, ...args], {
    env: { ...plainEnvironment(), STEADING_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  // The token was given, so that not even standard output may tell it.
  for (const stream of [child.stdout, child.stderr]) recordStream("logs", stream);
  const ended = processEnd(child);
  if (child.pid !== undefined) onSpawn?.(child.pid);

  const stopWaiting = new AbortController();
  void ended.then((end) => stopWaiting.abort(new HubEndedEarly(end, output())));
  const ready = toReady(await jsonFileAppears(readyFile, stopWaiting.signal));
  await rm(readyFile, { force: true });
  registerSecretFiles(data);
  return {
    ...ready,
    ended,
    output,
    async stop() {
      await recordMetrics(ready);
      let patient = true;
      const patience = setTimeout(() => {
        patient = false;
        child.kill("SIGKILL");
      }, STOP_MS);
      child.kill("SIGTERM");
      const end = await ended;
      clearTimeout(patience);
      if (!patient) throw new Error(`The hub did not end when it was asked to:\n${marked(output())}`);
      return end;
    },
  };
}

/** A hub that is dead already has nothing more to tell. */
async function recordMetrics({ url, token }: { readonly url: string; readonly token: string }): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/metrics`, { headers, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  recordOutput("metrics", (await answer?.text()) ?? "");
}

function toReady(json: unknown): Pick<HubProcess, "url" | "mcp" | "token" | "pid" | "ready"> {
  if (typeof json !== "object" || json === null) throw new Error("The ready file holds no JSON object.");
  const ready = Object.fromEntries(Object.entries(json));
  const { url, mcp, pid } = ready;
  if (typeof url !== "string" || typeof mcp !== "string" || typeof pid !== "number")
    throw new Error(`The ready file lacks url, mcp or pid: ${JSON.stringify(json)}`);
  return { url, mcp, pid, token: BOOTSTRAP_TOKEN, ready };
}

export async function processEnd(child: ChildProcess): Promise<Ended> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { code: child.exitCode, signal: child.signalCode };
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(-65_536);
    });
  }
  return () => text;
}
