import { hours, type Cancel, type Clock, type Log } from "@steading/kernel";

const HOUR = hours(1);

/** Does something every hour until it is cancelled, starting an hour from here. */
export function hourly({
  clock,
  log,
  what,
  work,
}: {
  readonly clock: Clock;
  readonly log: Log;
  /** For the log, when it fails. */
  readonly what: string;
  work(): Promise<unknown>;
}): Cancel {
  let cancel: Cancel;
  const next = (): void => {
    cancel = clock.timer(HOUR, () => {
      work().catch((error: unknown) => log.error(what, error));
      next();
    });
  };
  next();
  return () => cancel();
}
