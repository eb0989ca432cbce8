import type { Clock, Json, JsonObject, Log } from "@steading/kernel";
import { iso } from "./instant.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The newest lines of the farm's own log, for the page that shows them. */
export interface LogPages {
  /** Passes everything on, and keeps a copy. */
  readonly log: Log;
  /** Newest first. */
  page(asked: { readonly level?: LogLevel | undefined; readonly limit: number; readonly offset: number }): {
    readonly logs: readonly JsonObject[];
    readonly total: number;
  };
}

const MOST_LINES = 1_000;

export function createLogPages({ log, clock }: { readonly log: Log; readonly clock: Pick<Clock, "now"> }): LogPages {
  const lines: (JsonObject & { readonly level: LogLevel })[] = [];

  function keep(level: LogLevel, message: string, fields: Readonly<Record<string, Json>> | undefined): void {
    lines.push({ timestamp: iso(clock.now()), level, message, ...(fields === undefined ? {} : { fields }) });
    if (lines.length > MOST_LINES) lines.shift();
  }

  return {
    log: {
      debug: (message, fields) => log.debug(message, fields), // for whoever looks at the log itself
      info(message, fields) {
        keep("info", message, fields);
        log.info(message, fields);
      },
      warn(message, fields) {
        keep("warn", message, fields);
        log.warn(message, fields);
      },
      // What was thrown stays out: it may hold anything, and this leaves the hub.
      error(message, cause, fields) {
        keep("error", message, fields);
        log.error(message, cause, fields);
      },
    },
    page({ level, limit, offset }) {
      const found = lines.filter((line) => level === undefined || line.level === level).toReversed();
      return { logs: found.slice(offset, offset + limit), total: found.length };
    },
  };
}
