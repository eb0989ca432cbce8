import type { Log } from "@steading/kernel";

/** Goes through all of it whatever fails on the way: a listener that will not close must not keep the store open. */
export async function stopInOrder(log: Log, steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.error("Something did not stop as it should.", error);
    }
  }
}
