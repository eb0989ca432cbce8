import { createManualClock, createReception, millis, seconds, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd, fromHex } from "../testing/memory-link.ts";
import { createBus } from "./create-bus.ts";

async function daemon({ readOnly = false } = {}) {
  const clock = createManualClock();
  const far = createFarEnd();
  const bus = createBus({
    name: "heating",
    protocol: "text",
    readOnly,
    dial: async () => far.link,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  bus.start(new AbortController().signal);
  await clock.advance(millis(0));
  const identify = () => bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() });
  const said = (): string => Buffer.from(far.written().replaceAll(" ", ""), "hex").toString();
  return { clock, far, bus, identify, said };
}

test("ebusd is asked in text and its answer is the response", async () => {
  const { bus, far, identify, said, clock } = await daemon();
  expect(bus.state).toMatchObject({ sourceState: "daemon", ready: true });
  const answer = identify();
  await clock.advance(millis(0));
  expect(said()).toBe("hex -n 150704\n");
  far.sayText("0ab5424153563205071704\n\n");
  expect(await answer).toMatchObject({ outcome: "success", response: fromHex("b5424153563205071704") });
  await bus.stop();
});

test.each([
  ["ERR: read timeout", "timeout", 1],
  ["ERR: arbitration lost", "timeout", 0],
  ["ERR: NAK received", "nack", 1],
  ["ERR: CRC error", "crc_mismatch", 1],
  ["ERR: wrong symbol received", "echo_mismatch", 1],
])("%s is a %s", async (line, outcome, transmissions) => {
  const { bus, far, identify, clock } = await daemon();
  const answer = identify();
  await clock.advance(millis(0));
  far.sayText(`${line}\n\n`);
  expect(await answer).toMatchObject({ outcome, transmissions });
  await bus.stop();
});

test("a daemon that hangs up ends the question at once, and does not keep the next one waiting", async () => {
  const { bus, far, identify, clock } = await daemon();
  const answer = identify();
  await clock.advance(millis(0));
  far.hangUp();
  await clock.advance(millis(0));
  expect(bus.counters.outcomes).toEqual({ timeout: 1 });
  expect(await answer).toMatchObject({ outcome: "timeout", reason: "disconnected", transmissions: 1 });
  await bus.stop();
});

test("a daemon that lets nobody send is told as such", async () => {
  const { bus, far, identify, clock } = await daemon();
  const answer = expect(identify()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  await clock.advance(millis(0));
  far.sayText("ERR: not authorized\n\n");
  await answer;
  await bus.stop();
});

// @proves ebus.transport.ebusd-tcp-no-passive
test("nothing is observed through the daemon, and in read only nothing is asked of it", async () => {
  const { bus, far, identify, said, clock } = await daemon({ readOnly: true });
  await expect(identify()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  far.sayText("10fe0700 = 3\n\n");
  await clock.advance(seconds(60));
  expect(said()).toBe("");
  expect(bus.counters).toMatchObject({ symbols: 0, telegrams: 0 });
  await bus.stop();
});

test("a late answer ends the link instead of answering the next question", async () => {
  const { bus, far, identify, clock } = await daemon();
  const answer = identify();
  await clock.advance(seconds(2));
  expect(await answer).toMatchObject({ outcome: "timeout" });
  expect(far.closed).toBe(true);
  await bus.stop();
});
