import { millis, type Cancel, type Clock, type Duration } from "@steading/kernel";

/**
 * A timer for "nothing came": when it fires late, what arrived meanwhile is still unread, and a busy process must not be
 * taken for a silent device. So whatever has arrived is delivered before the verdict.
 */
export function afterArrivals(clock: Clock, wait: Duration, fire: () => void): Cancel {
  let cancel = clock.timer(wait, () => {
    cancel = clock.timer(millis(0), fire);
  });
  return () => cancel();
}
