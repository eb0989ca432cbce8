import { createManualClock, createReception, millis, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd } from "../testing/memory-link.ts";
import { createBus } from "./create-bus.ts";

// @proves ebus.timing.syn-generation-interval
test("as the only device it makes a SYN after 40 ms of idle bus", async () => {
  const clock = createManualClock();
  const far = createFarEnd();
  const bus = createBus({
    name: "heating",
    protocol: "plain",
    onlyDevice: true,
    dial: async () => far.link,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  bus.start(new AbortController().signal);
  await clock.advance(millis(39));
  expect(far.written()).toBe("");
  await clock.advance(millis(1));
  expect(far.written()).toBe("aa");
  far.say("AA");
  await clock.advance(millis(39));
  far.say("10"); // somebody speaks after all
  await clock.advance(millis(39));
  expect(far.written()).toBe("");
  await clock.advance(millis(1));
  expect(far.written()).toBe("aa");
  await bus.stop();
});
