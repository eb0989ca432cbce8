import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd } from "../testing/memory-link.ts";
import { recordSession } from "../testing/session-record.ts";
import { createPlainSession } from "./plain-session.ts";

function plain() {
  const clock = createManualClock();
  const far = createFarEnd();
  const told = recordSession();
  const session = createPlainSession({ link: far.link, clock, echoWait: millis(10), permit() {}, events: told.events });
  told.take();
  return { clock, far, told, session };
}

// @proves ebus.arbitration.qq-after-syn ebus.arbitration.won
test("the address goes out in answer to a SYN and at no other moment", () => {
  const { far, told, session } = plain();
  far.say("AA");
  session.contend(0x71);
  expect(far.written()).toBe("");
  far.say("AA 10");
  expect(far.written()).toBe("");
  far.say("08 B5 11");
  expect(far.written()).toBe("");
  far.say("AA");
  expect(far.written()).toBe("71");
  told.take();
  far.say("71");
  expect(told.take()).toEqual(["71", "started"]);
  session.close();
});

// @proves ebus.arbitration.lost
test("another address in the echo is the winner's, and nothing more goes out", () => {
  const { far, told, session } = plain();
  session.contend(0x71);
  far.say("AA");
  far.written();
  far.say("10 08");
  expect(told.take()).toEqual(["aa", "10", "lost 10", "08"]);
  far.say("AA AA");
  expect(far.written()).toBe("");
  session.close();
});

// @proves ebus.arbitration.syn-qq-syn
test("the SYN behind a lone address is not taken for a free bus", () => {
  const { far, session } = plain();
  far.say("AA");
  far.say("10");
  session.contend(0x71);
  far.say("AA");
  expect(far.written()).toBe("");
  far.say("AA");
  expect(far.written()).toBe("71");
  session.close();
});

test("an address that nobody hears is no verdict for anybody", async () => {
  const { clock, far, told, session } = plain();
  session.contend(0x71);
  far.say("AA");
  await clock.advance(millis(11));
  expect(told.take()).toEqual(["aa", "lost none"]);
  session.contend(0x71);
  far.say("AA");
  far.say("AA");
  expect(told.take()).toEqual(["aa", "aa"]);
  await clock.advance(millis(11));
  expect(told.take()).toEqual(["lost none"]);
  session.close();
  expect(clock.pending).toBe(0);
});

// @proves ebus.transport.plain-on-enh-port
test("a SYN that always stands behind C6 is named as an enhanced port, and nothing is sent to it", () => {
  const { far, told, session } = plain();
  for (let n = 0; n < 8; n += 1) far.say("C6 AA");
  expect(told.take()).toContain("enhanced_port");
  session.contend(0x71);
  far.say("C6 AA");
  expect(far.written()).toBe("");
  session.close();
});
