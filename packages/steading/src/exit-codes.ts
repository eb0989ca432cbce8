/** What the exit code of every command means. Documented in docs/reference/commands.md. */
export const EXIT = {
  ok: 0,
  /** The tool answered with an error, or a check found something. */
  toolError: 1,
  /** Wrong command, flag, argument, environment or settings file. */
  usage: 2,
  /** No hub is running there. */
  noHub: 3,
  /** The hub refused the credential or the role. */
  refused: 4,
  /** The hub could not start: port taken, data directory in use, disk trouble. */
  cannotStart: 5,
  /** A fault of ours. */
  internal: 70,
} as const;

const BY_CODE: Readonly<Record<string, number>> = {
  SETTINGS_UNREADABLE: EXIT.usage,
  SETTINGS_INVALID: EXIT.usage,
  ENVIRONMENT_INVALID: EXIT.usage,
  SECRET_WEAK: EXIT.usage,
  ISSUER_REFUSED: EXIT.usage,
  NO_STATE: EXIT.usage,
  CLIENT_CONFIG_UNREADABLE: EXIT.usage,
  BACKUP_INVALID: EXIT.usage,
  USAGE: EXIT.usage,
  CALL_FAILED: EXIT.toolError,
  NO_HUB: EXIT.noHub,
  HUB_REFUSED: EXIT.refused,
  ACCESS_DENIED: EXIT.refused,
  INTERNAL: EXIT.internal,
  PORT_TAKEN: EXIT.cannotStart,
  PTY_UNAVAILABLE: EXIT.cannotStart,
  LISTEN_REFUSED: EXIT.cannotStart,
  LISTEN_INSECURE: EXIT.usage,
  SOCKET_TAKEN: EXIT.cannotStart,
  READY_FILE_FAILED: EXIT.cannotStart,
  DATA_DIR_LOCKED: EXIT.cannotStart,
  STORE_CORRUPT: EXIT.cannotStart,
  SCHEMA_NEWER: EXIT.cannotStart,
  STORE_FULL: EXIT.cannotStart,
  STORE_FAILED: EXIT.cannotStart,
  SECRET_BROKEN: EXIT.cannotStart,
};

/** Every code is somebody's considered answer, so the rest are a tool's. */
export function exitCodeOf(code: string): number {
  return BY_CODE[code] ?? EXIT.toolError;
}
