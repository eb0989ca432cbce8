import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createSignal, type SignalState } from "./signal.ts";

// @proves ebus.timing.signal-lost ebus.timing.no-signal
test("without SYN the signal is lost after 250 ms and gone after more than a second", async () => {
  const clock = createManualClock();
  const states: SignalState[] = [];
  const signal = createSignal({ clock, changed: (state) => void states.push(state) });
  expect(signal.state).toBe("none");
  for (let n = 0; n < 20; n += 1) {
    signal.onSyn();
    await clock.advance(millis(40));
  }
  expect(states).toEqual(["ok"]);
  await clock.advance(millis(209));
  expect(signal.state).toBe("ok");
  await clock.advance(millis(1));
  expect(signal.state).toBe("lost");
  await clock.advance(millis(750));
  expect(signal.state).toBe("lost");
  await clock.advance(millis(1));
  expect(signal.state).toBe("none");
  signal.onSyn();
  expect(states).toEqual(["ok", "lost", "none", "ok"]);
  signal.stop();
  expect(clock.pending).toBe(0);
});
