import { pino, type Logger } from "pino";
import type { Json, Log } from "@steading/kernel";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Something to write whole lines to. Standard error in the product: standard output may be a protocol. */
export interface LogSink {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** One JSON object a line for programs, one readable line for a person at a terminal. */
export function createLog({ level, sink }: { readonly level: LogLevel; readonly sink: LogSink }): Log {
  const lines = sink.isTTY === true ? { write: (line: string) => void sink.write(readable(line)) } : sink;
  return fromPino(
    pino(
      { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
      { write: (line) => void lines.write(line) },
    ),
  );
}

function fromPino(logger: Logger): Log {
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, cause, fields) =>
      logger.error({ ...fields, ...(cause === undefined ? {} : { err: cause }) }, message),
  };
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
