import type { Log } from "@steading/kernel";
import { expect, test } from "vitest";
import { stopInOrder } from "./stop-in-order.ts";

// @proves kernel.error.cleanup-finishes
test("stopping goes through every step in order, and tells of each that failed", async () => {
  const done: string[] = [];
  const told: unknown[] = [];
  const log: Log = { debug() {}, info() {}, warn() {}, error: (_message, cause) => void told.push(cause) };
  const step = (name: string, fault?: Error) => async (): Promise<void> => {
    await Promise.resolve();
    done.push(name);
    if (fault) throw fault;
  };
  const faults = [new Error("first"), new Error("second")] as const;
  await stopInOrder(log, [step("a", faults[0]), step("b"), step("c", faults[1]), step("d")]);
  expect(done).toEqual(["a", "b", "c", "d"]);
  expect(told).toEqual(faults);
});
