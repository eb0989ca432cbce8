import type { Json } from "./json.ts";

/** Where parts say what happened to them. Fields are data; the sentence is ours and never holds device text. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, Json>>): void;
  info(message: string, fields?: Readonly<Record<string, Json>>): void;
  warn(message: string, fields?: Readonly<Record<string, Json>>): void;
  /** `cause` may be any thrown thing; only the log ever sees it. */
  error(message: string, cause?: unknown, fields?: Readonly<Record<string, Json>>): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
