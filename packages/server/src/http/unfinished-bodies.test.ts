import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { createManualClock, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../limits/limits.ts";
import { createUnfinishedBodies } from "./unfinished-bodies.ts";

const STRANGER = { name: "address:192.0.2.1", isKnown: false };
const ANNA = { name: "anna", isKnown: true };

function setUp(limits: Partial<Limits> = {}) {
  const clock = createManualClock();
  const bodies = createUnfinishedBodies({ clock, limits: { ...DEFAULT_LIMITS, ...limits } });
  function begin(sender: typeof ANNA) {
    const stream = Object.assign(new PassThrough(), { headers: {} });
    // All of a request that is looked at.
    const read = bodies.read(stream as unknown as IncomingMessage, { sender, mostBytes: 10, mostPoured: 20 });
    const say = async (text: string): Promise<void> => {
      stream.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { stream, read, say };
  }
  return { clock, bodies, begin };
}

test("a body that dribbles is given up after a while when nobody known sends it", async () => {
  const { clock, bodies, begin } = setUp();
  const stranger = begin(STRANGER);
  const anna = begin(ANNA);
  for (let i = 0; i < 4; i++) {
    await clock.advance(seconds(5));
    await Promise.all([stranger.say("x"), anna.say("x")]);
  }
  expect(await stranger.read).toEqual({ kind: "too-slow" });
  expect(bodies.size).toBe(1);
  anna.stream.end("y");
  expect(await anna.read).toEqual({ kind: "bytes", bytes: Buffer.from("xxxxy") });
  expect(bodies.size).toBe(0);
});

test("a body that brings nothing for a while is given up, whoever sends it", async () => {
  const { clock, begin } = setUp();
  const anna = begin(ANNA);
  await clock.advance(seconds(9));
  await anna.say("x");
  await clock.advance(seconds(9));
  await anna.say("x");
  await clock.advance(seconds(10));
  expect(await anna.read).toEqual({ kind: "too-slow" });
});

test("the oldest of a sender gives way, and known senders never to unknown ones", async () => {
  const { bodies, begin } = setUp({ strangerBodies: 2, bodiesPerPrincipal: 1 });
  const anna = begin(ANNA);
  const [first, second, third] = [begin(STRANGER), begin(STRANGER), begin({ name: "address:other", isKnown: false })];
  expect(await first?.read).toEqual({ kind: "gave-way" });
  expect(bodies.size).toBe(3);
  begin(ANNA);
  expect(await anna.read).toEqual({ kind: "gave-way" });
  second?.stream.end();
  third?.stream.destroy();
  expect(await second?.read).toEqual({ kind: "bytes", bytes: Buffer.alloc(0) });
  expect(await third?.read).toEqual({ kind: "gone" });
  bodies.close();
});

test("a body that is too large is drained for a while, then given up", async () => {
  const { begin } = setUp();
  const patient = begin(ANNA);
  patient.stream.end("x".repeat(15));
  expect(await patient.read).toEqual({ kind: "too-large", goesOn: false });
  const flood = begin(ANNA);
  flood.stream.write("x".repeat(21));
  expect(await flood.read).toEqual({ kind: "too-large", goesOn: true });
});
