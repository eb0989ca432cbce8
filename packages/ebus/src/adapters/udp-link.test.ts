import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { createManualClock, millis, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createUdpDial } from "./udp-link.ts";

let far: Socket;
beforeEach(async () => {
  far = createSocket("udp4");
  far.bind(0, "127.0.0.1");
  await once(far, "listening");
});
afterEach(() => far.close());

const heard = async (): Promise<RemoteInfo> => {
  const [bytes, from] = (await once(far, "message")) as [Buffer, RemoteInfo];
  expect(bytes).toHaveLength(0);
  return from;
};

// @proves ebus.transport.udp-start
test("an adapter that is silent is greeted four times more, 25, 50, 100 and 200 ms apart, and given up after 5 s", async () => {
  for (const [random, factor] of [
    [0.5, 1],
    [0, 0.8],
    [1, 1.2],
  ] as const) {
    const clock = createManualClock();
    const dial = createUdpDial({ host: "127.0.0.1", port: far.address().port, clock, random: () => random });
    const hello = heard();
    const dialled = expect(dial(new AbortController().signal)).rejects.toThrow("within 5000 ms");
    await hello;
    for (const pause of [25, 50, 100, 200]) {
      const again = heard();
      const waiting = clock.pending;
      await clock.advance(millis(pause * factor - 1));
      expect(clock.pending).toBe(waiting);
      await clock.advance(millis(1));
      await again;
    }
    await clock.advance(seconds(5));
    await dialled;
    expect(clock.pending).toBe(0);
  }
});

// @proves ebus.transport.udp-lease
test("an open link is kept by empty datagrams, and ends after 5 s without a word", async () => {
  const clock = createManualClock();
  const dial = createUdpDial({ host: "127.0.0.1", port: far.address().port, clock });
  const hello = heard();
  const dialled = dial(new AbortController().signal);
  const { port, address } = await hello;
  far.send(Uint8Array.of(0xaa), port, address);
  const link = await dialled;
  let ended: Error | undefined;
  link.onEnd((cause) => (ended = cause));
  const renewed = heard();
  await clock.advance(seconds(2));
  await renewed;
  await clock.advance(millis(2_999));
  expect(ended).toBeUndefined();
  await clock.advance(millis(1));
  expect(ended?.message).toContain("silent for 5000 ms");
  expect(clock.pending).toBe(0);
});
