import { pino, type Logger } from "pino";
import { redact, redactText, type Clock, type Json, type JsonObject, type Log } from "@steading/kernel";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Something to write whole lines to. Standard error in the product: standard output may be a protocol. */
export interface LogSink {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** One JSON object a line for programs, one readable line for a person at a terminal. */
export function createLog({
  level,
  sink,
  clock,
}: {
  readonly level: LogLevel;
  readonly sink: LogSink;
  readonly clock: Pick<Clock, "now">;
}): Log {
  const lines = sink.isTTY === true ? { write: (line: string) => void sink.write(readable(line)) } : sink;
  return fromPino(
    pino(
      {
        level,
        base: null,
        serializers: { err: (told: unknown) => told },
        timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      },
      { write: (line) => void lines.write(line) },
    ),
  );
}

/** Whatever a part says or puts into its fields, and whatever a library says in an error, goes through the journal's redaction. */
function fromPino(logger: Logger): Log {
  const clean = (fields: Readonly<Record<string, Json>> | undefined): JsonObject => (fields ? redact(fields) : {});
  return {
    debug(message, fields) {
      if (logger.isLevelEnabled("debug")) logger.debug(clean(fields), redactText(message));
    },
    info: (message, fields) => logger.info(clean(fields), redactText(message)),
    warn: (message, fields) => logger.warn(clean(fields), redactText(message)),
    error: (message, cause, fields) =>
      logger.error(
        { ...clean(fields), ...(cause === undefined ? {} : clean({ err: told(cause) })) },
        redactText(message),
      ),
  };
}

/** Causes within causes that are told; a chain may close on itself. */
const DEEPEST_CAUSE = 5;

/** Of a thrown thing only what is meant to be read: libraries hang requests, with their headers, on errors. */
function told(thrown: unknown, depth = 1): JsonObject {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) };
  const { name, message, stack, cause } = thrown;
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  const below = cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: told(cause, depth + 1) };
  return { type: name, message, ...(stack !== undefined && { stack }), ...code, ...below };
}

const WORDS: Readonly<Record<number, string>> = { 20: "debug", 30: "info ", 40: "WARN ", 50: "ERROR" };

function readable(line: string): string {
  // pino wrote this line a moment ago, so it is an object with these fields.
  const { level, time, msg, err, ...fields } = JSON.parse(line) as {
    level: number;
    time: string;
    msg: string;
    err?: { message?: string; stack?: string };
    [field: string]: Json | { message?: string; stack?: string } | undefined;
  };
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const trace = err === undefined ? "" : `\n${err.stack ?? err.message ?? ""}`;
  return `${time.slice(11, 19)} ${WORDS[level] ?? String(level)} ${msg}${rest.join("")}${trace}\n`;
}
