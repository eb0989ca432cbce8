import { expect, test } from "vitest";
import { createManualClock } from "./manual-clock.ts";
import { createReception, isReceived } from "./received.ts";
import { observedReceipt, receipt, receiptJson, STAGES } from "./receipt.ts";

// @proves kernel.receipt.six-stages
test("there are six stages and no other word", () => {
  expect(STAGES).toEqual(["requested", "sent", "acknowledged", "observed", "unknown", "failed"]);
});

// @proves kernel.receipt.observed-single-constructor kernel.receipt.observed-needs-inbound-after-ack
// @proves kernel.receipt.cached-value-is-not-observed
test("observed needs an arrival that is later than the acknowledgement", () => {
  const clock = createManualClock();
  const reception = createReception(clock);
  const early = reception.received(21);
  const since = reception.mark();
  const late = reception.received(21);
  expect(observedReceipt("a1", late, since)).toEqual({
    action: "a1",
    stage: "observed",
    at: clock.now(),
    observed: 21,
  });
  expect(() => observedReceipt("a1", early, since)).toThrow(RangeError);
  expect(() => observedReceipt("a1", { ...late, stamp: 99 } as typeof late, since)).toThrow(TypeError);
});

test("an arrival is known by its making, not by its looks", () => {
  const arrival = createReception(createManualClock()).received({ on: true });
  expect(isReceived(arrival)).toBe(true);
  expect(isReceived({ ...arrival })).toBe(false);
  expect(isReceived(structuredClone(arrival))).toBe(false);
  for (const other of [null, undefined, 3, "x", {}]) expect(isReceived(other)).toBe(false);
});

// @proves kernel.time.inside-epoch-ms
test("on the wire a receipt has its time as ISO 8601, and observed only when there is one", () => {
  const at = Date.UTC(2026, 0, 2);
  expect(receiptJson(receipt("a1", "unknown", at))).toEqual({
    action: "a1",
    stage: "unknown",
    at: "2026-01-02T00:00:00.000Z",
  });
  const reception = createReception({ now: () => at });
  for (const value of [false, 0, "", null]) {
    const seen = observedReceipt("a1", reception.received(value), 0);
    expect(receiptJson(seen)).toMatchObject({ stage: "observed", observed: value });
  }
});
