import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createPlainSession } from "../adapters/plain-session.ts";
import { createFarEnd, toHex } from "../testing/memory-link.ts";
import { encodeCommand } from "../wire/encode.ts";
import { createGate } from "./gate.ts";
import { createStation } from "./station.ts";
import { busTiming } from "./timing.ts";

function listen() {
  const clock = createManualClock();
  const far = createFarEnd();
  const timing = busTiming();
  const heard: string[] = [];
  let missed = 0;
  const nothing = (): void => {};
  const station = createStation({
    open: (events) => createPlainSession({ link: far.link, clock, echoWait: timing.echo, permit() {}, events }),
    gate: createGate({ readOnly: true }),
    clock,
    timing,
    answers: () => false,
    onlyDevice: false,
    events: {
      ready: nothing,
      reset: nothing,
      trouble: nothing,
      misconfigured: nothing,
      symbol: nothing,
      lostArbitration: nothing,
      heard: ({ kind }) => void heard.push(kind),
      synMissed: () => void (missed += 1),
    },
  });
  return { clock, far, timing, heard, station, missed: () => missed };
}

const broadcast = toHex(
  encodeCommand({ source: 0x10, target: 0xfe, primary: 0xb5, secondary: 0x16, data: Uint8Array.of(1, 2) }),
);

test("a process that was busy reads on what came meanwhile, and misses no SYN that was there", async () => {
  const { clock, far, timing, heard, station, missed } = listen();
  far.say("aa");
  // The watch is due at the same moment and comes first: what arrived has not been read yet.
  clock.timer(timing.syn, () => far.say(broadcast));
  await clock.advance(timing.syn);
  far.say("aa");
  expect(heard).toContain("telegram");
  expect(missed()).toBe(0);
  station.close();
  expect(clock.pending).toBe(0);
});

test("when nothing comes, the SYN is missed and half a telegram is not read on", async () => {
  const { clock, far, heard, station, missed } = listen();
  far.say(`aa ${broadcast.slice(0, 8)}`);
  await clock.advance(millis(100));
  far.say(`${broadcast.slice(9)} aa`);
  expect(missed()).toBe(1);
  expect(heard).not.toContain("telegram");
  station.close();
});
