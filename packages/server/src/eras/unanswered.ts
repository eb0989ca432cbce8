import type { ServerResponse } from "node:http";

/** Requests of one session that wait for their answer. */
export interface Unanswered {
  /** Undefined: the session ended first, or the client went. The SDK leaves a plain answer hanging in both cases. */
  wait<T>(handling: Promise<T>, res: ServerResponse): Promise<T | undefined>;
  /** The session ended; nothing is answered any more. */
  end(): void;
}

export function createUnanswered(): Unanswered {
  const waiting = new Set<() => void>();
  return {
    wait: (handling, res) =>
      new Promise((resolve, reject) => {
        function settle(): void {
          waiting.delete(giveUp);
          res.off("close", giveUp);
        }
        function giveUp(): void {
          settle();
          resolve(undefined);
        }
        waiting.add(giveUp);
        res.once("close", giveUp);
        handling.then(
          (response) => {
            settle();
            resolve(response);
          },
          (fault: unknown) => {
            settle();
            reject(fault as Error); // as it was thrown
          },
        );
      }),
    end() {
      for (const giveUp of [...waiting]) giveUp();
    },
  };
}
