import { SteadingError, type Health, type Log } from "@steading/kernel";

/** Whether the core answered the last time it was asked, whoever asked. */
export interface CoreReach {
  answered(): void;
  /** Takes any failure; only those that mean nobody sensible is there count. */
  failed(error: unknown): void;
  readonly connected: boolean;
  health(): Health;
}

const AWAY: ReadonlySet<string> = new Set(["CORE_DOWN", "CORE_TIMEOUT", "CORE_GARBLED"]);

/** Does this failure mean that nobody sensible is there? */
export function isAway(error: unknown): error is SteadingError {
  return error instanceof SteadingError && AWAY.has(error.code);
}

export function createCoreReach({ shown, log }: { readonly shown: string; readonly log: Log }): CoreReach {
  let connected = false;
  let reason = `The core at ${shown} has not answered yet.`;
  return {
    answered() {
      if (!connected) log.info("The SenseHub core answers.", { core: shown });
      connected = true;
    },
    failed(error) {
      if (!isAway(error)) return;
      if (connected) log.warn("The SenseHub core cannot be reached.", { core: shown, code: error.code });
      connected = false;
      reason = error.message;
    },
    get connected() {
      return connected;
    },
    health: () => (connected ? { status: "ok" } : { status: "degraded", reason }),
  };
}
