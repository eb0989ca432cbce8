import { createManualClock, createReception, isReceived, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createBackOff } from "./back-off.ts";
import { createLampLink } from "./lamp-link.ts";
import { createScriptedDial, type FarEnd } from "./testing/memory-wire.ts";

async function linked(options: { readonly maxPending?: number } = {}) {
  const clock = createManualClock();
  const reception = createReception(clock);
  const dialled = createScriptedDial();
  const link = createLampLink({
    name: "hall",
    dial: dialled.dial,
    clock,
    reception,
    backOff: createBackOff({ first: seconds(10), most: seconds(60), random: () => 0 }),
    ...options,
  });
  const stop = new AbortController();
  link.start(stop.signal);
  await clock.advance(millis(0));
  const line = (index: number): FarEnd => dialled.lines[index] ?? expect.fail(`connection ${index} was not made`);
  /** One exchange, after which the link takes the lamp for healthy. */
  const greet = async (): Promise<void> => {
    const read = link.ask("read");
    await clock.advance(millis(0));
    line(0).say("0\n");
    await read;
  };
  return { clock, reception, dialled, link, line, stop, greet };
}

test("requests are written at once and answered in order", async () => {
  const { link, line, clock } = await linked();
  const on = link.ask("on");
  const read = link.ask("read");
  await clock.advance(millis(0));
  expect(line(0).written()).toBe("1\n?\n");
  line(0).say("A\n1\n");
  expect((await on).answer).toEqual({ kind: "accepted" });
  expect((await read).answer).toEqual({ kind: "state", on: true });
  await link.stop();
  expect(clock.pending).toBe(0);
});

test("what arrives is stamped where it is decoded, later than any mark set before", async () => {
  const { link, line, reception, clock } = await linked();
  const read = link.ask("read");
  await clock.advance(millis(0));
  const mark = reception.mark();
  line(0).say("0\n");
  const { arrival } = await read;
  expect(isReceived(arrival)).toBe(true);
  expect(arrival.value).toBe(false);
  expect(arrival.stamp).toBeGreaterThan(mark);
  await link.stop();
});

test("the first byte is announced before it leaves, and only when it can", async () => {
  const { link, line, clock, dialled } = await linked();
  const order: string[] = [];
  line(0).onWritten = () => order.push("written");
  const on = link.ask("on", { firstByte: () => order.push("first byte") });
  await clock.advance(millis(0));
  expect(order).toEqual(["first byte", "written"]);
  line(0).say("A\n");
  await on;

  dialled.refuse(true);
  line(0).hangUp();
  await clock.advance(millis(0));
  await expect(link.ask("on", { firstByte: () => order.push("first byte") })).rejects.toMatchObject({
    code: "SOURCE_UNAVAILABLE",
    retryable: true,
  });
  expect(order).toEqual(["first byte", "written"]);
  await link.stop();
});

test("a first byte that is refused sends nothing and leaves the order of answers alone", async () => {
  const { link, line, clock } = await linked();
  const refuse = (): void => {
    throw new Error("too late");
  };
  await expect(link.ask("on", { firstByte: refuse })).rejects.toThrow("too late");
  const read = link.ask("read");
  await clock.advance(millis(0));
  expect(line(0).written()).toBe("?\n");
  line(0).say("1\n");
  expect((await read).answer).toEqual({ kind: "state", on: true });
  await link.stop();
  expect(clock.pending).toBe(0);
});

test("a missing answer is a TIMEOUT, and the next request goes out on a fresh connection", async () => {
  const { link, line, clock } = await linked();
  const on = expect(link.ask("on")).rejects.toMatchObject({ code: "TIMEOUT" });
  await clock.advance(seconds(1));
  await on;
  expect(line(0).closed()).toBe(true);
  await clock.advance(millis(0));
  const read = link.ask("read");
  await clock.advance(millis(0));
  expect(line(0).written()).toBe("1\n");
  expect(line(1).written()).toBe("?\n");
  line(0).say("A\n"); // too late: that connection was given up and its answer belongs to nobody
  line(1).say("0\n");
  expect((await read).answer).toEqual({ kind: "state", on: false });
  expect(link.counters()).toMatchObject({ connects: 2, timeouts: 1 });
  await link.stop();
});

test("a request that is aborted keeps its place, so the next answer still finds its own request", async () => {
  const { link, line, clock } = await linked();
  const abort = new AbortController();
  const gone = expect(link.ask("count", { signal: abort.signal })).rejects.toThrow("enough");
  const read = link.ask("read");
  await clock.advance(millis(0));
  abort.abort(new Error("enough"));
  await gone;
  line(0).say("N7\n1\n");
  expect((await read).answer).toEqual({ kind: "state", on: true });
  await link.stop();
  expect(clock.pending).toBe(0);
});

test("garbage fails the request it came for and is counted", async () => {
  const { link, line, clock } = await linked();
  const read = expect(link.ask("read")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  await clock.advance(millis(0));
  line(0).say("\u0000\u0007 1\n");
  await read;
  expect(line(0).closed()).toBe(true);
  expect(link.counters().garbage).toBe(1);
  await link.stop();
});

test("a line that nobody asked for ends the connection: later answers could not be matched", async () => {
  const { link, line, clock, greet } = await linked();
  await greet();
  line(0).say("1\n");
  await clock.advance(millis(0));
  expect(line(0).closed()).toBe(true);
  expect(link.counters()).toMatchObject({ garbage: 1, connects: 2 });
  await link.stop();
});

test("E is a clear refusal and keeps the connection", async () => {
  const { link, line, clock } = await linked();
  const on = expect(link.ask("on")).rejects.toMatchObject({
    code: "SOURCE_REJECTED",
    details: { refused: true },
  });
  await clock.advance(millis(0));
  line(0).say("E\n");
  await on;
  expect(line(0).closed()).toBe(false);
  await link.stop();
});

test("a lamp that cannot be reached is tried again with growing waits, and a request cuts the wait short", async () => {
  const { link, line, clock, dialled, greet } = await linked();
  await greet();
  dialled.refuse(true);
  line(0).hangUp();
  await clock.advance(millis(0));
  expect(dialled.calls()).toBe(2); // at once after a loss
  await clock.advance(seconds(9));
  expect(dialled.calls()).toBe(2);
  await clock.advance(seconds(1));
  expect(dialled.calls()).toBe(3);
  dialled.refuse(false);
  await clock.advance(seconds(1));
  const read = link.ask("read");
  await clock.advance(millis(0));
  expect(dialled.calls()).toBe(4);
  line(1).say("1\n");
  expect((await read).answer).toEqual({ kind: "state", on: true });
  await link.stop();
});

test("a peer that accepts and hangs up without ever answering is not dialled without pause", async () => {
  const { link, line, clock, dialled } = await linked();
  line(0).hangUp();
  await clock.advance(seconds(9));
  expect(dialled.calls()).toBe(1);
  await clock.advance(seconds(1));
  expect(dialled.calls()).toBe(2);
  await link.stop();
});

test("callers cannot make it dial without pause", async () => {
  const { link, line, clock, dialled, greet } = await linked();
  await greet();
  dialled.refuse(true);
  line(0).hangUp();
  await clock.advance(millis(0));
  for (let i = 0; i < 50; i += 1) await expect(link.ask("read")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  expect(dialled.calls()).toBe(2);
  await link.stop();
});

test("no more requests wait than the bound allows, and those turned away are counted", async () => {
  const { link, line, clock } = await linked({ maxPending: 2 });
  const first = link.ask("read");
  const second = link.ask("read");
  await expect(link.ask("read")).rejects.toMatchObject({
    code: "SOURCE_UNAVAILABLE",
    retryable: true,
  });
  expect(link.counters().refused).toBe(1);
  line(0).say("1\n1\n");
  await Promise.all([first, second]);
  await clock.advance(millis(0));
  await link.stop();
});

test("stopping fails what waits and may be called twice", async () => {
  const { link, line } = await linked();
  const read = expect(link.ask("read")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  await link.stop();
  await link.stop();
  await read;
  expect(line(0).closed()).toBe(true);
  await expect(link.ask("read")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
});

test("the signal given to start stops it as well", async () => {
  const { link, stop } = await linked();
  stop.abort();
  await link.stop();
  await expect(link.ask("read")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  expect(link.connected()).toBe(false);
});
