import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";

/** Runs a request handler and lets nothing but our own protocol errors out of it. */
export type Guarded = <T>(work: () => T | Promise<T>) => Promise<T>;

/** The SDK shows the text of an escaped exception to the client; the log is the only one who may read it. */
export function createGuarded(log: Log): Guarded {
  return async (work) => {
    try {
      return await work();
    } catch (fault) {
      if (fault instanceof ProtocolError) throw fault;
      log.error("A request handler failed.", fault);
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error; the log has the reason.");
    }
  };
}

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
