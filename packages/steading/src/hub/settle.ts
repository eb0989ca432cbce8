import { millis, seconds, type Clock, type Part } from "@steading/kernel";

const AT_MOST = seconds(1);
const BETWEEN_LOOKS = millis(25);

/** A hub that says it is ready had better have reached its devices; one that is switched off must not hold it up for long. */
export async function settle({
  parts,
  clock,
  signal,
}: {
  readonly parts: readonly Pick<Part, "health">[];
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly signal: AbortSignal;
}): Promise<void> {
  const until = clock.monotonic() + AT_MOST;
  const isDown = (): boolean => parts.some((part) => part.health().status === "down");
  while (isDown() && !signal.aborted && clock.monotonic() < until) {
    try {
      await clock.sleep(BETWEEN_LOOKS, signal);
    } catch {
      return; // the hub stops; there is nothing to wait for
    }
  }
}
