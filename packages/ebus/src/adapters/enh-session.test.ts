import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd } from "../testing/memory-link.ts";
import { recordSession } from "../testing/session-record.ts";
import { readAnswers, readIdentity } from "./enh-info.ts";
import { createEnhSession } from "./enh-session.ts";

function connected({ greetUnheard = true } = {}) {
  const clock = createManualClock();
  const far = createFarEnd();
  const told = recordSession();
  const session = createEnhSession({ link: far.link, clock, greetUnheard, permit() {}, events: told.events });
  return { clock, far, told, session };
}

function greeted() {
  const made = connected();
  made.far.say("C6 AA C6 AA");
  expect(made.far.written()).toBe("c0 81");
  expect(made.told.take()).toEqual(["aa", "aa"]);
  return made;
}

async function ready() {
  const made = greeted();
  made.far.say("C0 81 C6 AA");
  await made.clock.advance(millis(200));
  expect(made.told.take()).toEqual(["aa", "ready"]);
  return made;
}

// @proves ebus.enh.init-on-connect ebus.timing.reset-settle
test("the adapter is greeted on connect as soon as it is heard, and used 200 ms after its answer", async () => {
  const { clock, far, told, session } = connected();
  far.say("C6 AA");
  expect(far.written()).toBe("");
  far.say("C6 AA");
  expect(far.written()).toBe("c0 81");
  told.take();
  far.say("C0 81");
  await clock.advance(millis(199));
  expect(told.take()).toEqual([]);
  await clock.advance(millis(1));
  expect(told.take()).toEqual(["ready"]);
  session.close();
  expect(clock.pending).toBe(0);
});

// @proves ebus.enh.fail-open ebus.info.only-with-feature ebus.enh.feature-info-bit
test("an adapter that does not answer is used after a second, and asked nothing about itself", async () => {
  const { clock, far, told, session } = greeted();
  far.say("C6 AA");
  await clock.advance(millis(999));
  expect(told.take()).toEqual(["aa"]);
  await clock.advance(millis(1));
  expect(told.take()).toEqual(["ready"]);
  far.written();
  expect(await session.askInfo(0)).toBeUndefined();
  expect(far.written()).toBe("");
  session.close();
});

test("an adapter that is silent is greeted after half a second, but never in read-only mode", async () => {
  const active = connected();
  await active.clock.advance(millis(499));
  expect(active.far.written()).toBe("");
  await active.clock.advance(millis(1));
  expect(active.far.written()).toBe("c0 81");
  active.session.close();

  const listening = connected({ greetUnheard: false });
  await listening.clock.advance(seconds(60));
  expect(listening.far.written()).toBe("");
  listening.far.say("C6 AA C6 AA");
  expect(listening.far.written()).toBe("c0 81");
  listening.session.close();
  expect(listening.clock.pending).toBe(0);
});

test("a plain port gets no byte, not even when a telegram's end looks like a SYN of the enhanced protocol", async () => {
  for (const greetUnheard of [true, false]) {
    const { clock, far, told, session } = connected({ greetUnheard });
    far.say("10 FE B5 16 01 C6 AA AA 10 08 B5 11 01 C6 AA");
    await clock.advance(seconds(2));
    far.say("AA AA AA AA AA AA AA AA C6 AA AA");
    await clock.advance(seconds(2));
    expect(told.take()).toContain("plain_port");
    expect(await session.askInfo(0)).toBeUndefined();
    expect(far.written()).toBe("");
    session.close();
    expect(clock.pending).toBe(0);
  }
});

test("an adapter that tells of its start before it is greeted is greeted all the same", async () => {
  const { clock, far, told, session } = connected();
  far.say("C0 81");
  await clock.advance(millis(500));
  expect(far.written()).toBe("c0 81");
  far.say("C0 81");
  await clock.advance(millis(200));
  expect(told.take()).toEqual(["reset_ignored", "ready"]);
  expect(await session.askInfo(0)).toBeUndefined(); // no SYN yet: this may still be the echo of a plain port
  session.close();
});

test("an adapter without the feature bit is asked nothing about itself", async () => {
  const { clock, far, session } = greeted();
  far.say("C0 80 C6 AA");
  await clock.advance(millis(200));
  far.written();
  expect(session.features).toBe(0);
  expect(await session.askInfo(0)).toBeUndefined();
  expect(far.written()).toBe("");
  session.close();
});

// @proves ebus.enh.second-resetted-ignored ebus.enh.unsolicited-resetted
test("a second RESETTED soon after the greeting changes nothing, a later one starts over", async () => {
  const { clock, far, told, session } = await ready();
  far.say("C0 81");
  expect(told.take()).toEqual(["reset_ignored"]);
  await clock.advance(seconds(3));
  far.say("C0 81");
  expect(told.take()).toEqual(["reset"]);
  expect(session.features).toBeUndefined();
  await clock.advance(millis(199));
  expect(far.written()).toBe("");
  await clock.advance(millis(1));
  expect(far.written()).toBe("c0 81");
  far.say("C0 81");
  await clock.advance(millis(200));
  expect(told.take()).toEqual(["ready"]);
  session.close();
});

// @proves ebus.enh.send-after-started ebus.enh.syn-received
test("the address the adapter swallowed is put back before the bus is ours", async () => {
  const { far, told, session } = await ready();
  session.contend(0x71);
  expect(far.written()).toBe("c9 b1");
  far.say("C6 AA C9 B1");
  expect(told.take()).toEqual(["aa", "71", "started"]);
  session.send(0x15);
  expect(far.written()).toBe("c4 95");
  session.close();
});

// @proves ebus.enh.failed-winner
test("a lost arbitration gives the winner's address to whoever listens", async () => {
  const { far, told, session } = await ready();
  session.contend(0x71);
  far.say("C6 AA E8 90 08");
  expect(told.take()).toEqual(["aa", "10", "lost 10", "08"]);
  session.close();
});

// @proves ebus.enh.start-timeout
test("three SYN without a verdict take the wish back", async () => {
  const { far, told, session } = await ready();
  session.contend(0x71);
  far.written();
  far.say("C6 AA C6 AA");
  expect(far.written()).toBe("");
  far.say("C6 AA");
  expect(far.written()).toBe("ca aa");
  expect(told.take()).toEqual(["aa", "aa", "aa", "start_timeout", "lost none"]);
  session.close();
});

test("a bus that was won after all is not used", async () => {
  const { far, told, session } = await ready();
  session.contend(0x71);
  session.withdraw();
  expect(far.written()).toBe("c9 b1 ca aa");
  far.say("C9 B1");
  expect(told.take()).toEqual(["71", "stray_start"]);
  session.close();
});

// @proves ebus.enh.half-pair-kept ebus.enh.half-pair-dropped
test("half a pair is kept for a short gap and dropped after a long one", async () => {
  const { clock, far, told, session } = await ready();
  far.say("C6");
  await clock.advance(millis(99));
  far.say("AA");
  expect(told.take()).toEqual(["aa"]);
  far.say("C6");
  await clock.advance(millis(100));
  expect(told.take()).toEqual(["half_pair"]);
  far.say("C6 AA");
  expect(told.take()).toEqual(["aa"]);
  session.close();
});

// @proves ebus.enh.undefined-command ebus.enh.error-codes
test("bytes that make no sense are counted and the next ones are read", async () => {
  const { far, told, session } = await ready();
  far.say("D0 80 EC 80 EC 81 F0 80 C6 AA");
  expect(told.take()).toEqual(["malformed", "framing", "overrun", "framing", "aa"]);
  expect(far.closed).toBe(false);
  session.close();
});

// @proves ebus.transport.enh-on-plain-port
test("bare SYN without a single pair are named as a plain port", async () => {
  const { far, told, session } = connected();
  far.say("AA AA AA 10 AA AA AA AA AA");
  expect(told.take()).toContain("plain_port");
  session.close();
});

// @proves ebus.info.reset-needs-length-8 ebus.info.rssi-needs-wifi ebus.info.reply-shape ebus.info.one-at-a-time
test("the adapter is asked one question after the other, and only what its version knows", async () => {
  const { clock, far, session } = await ready();
  const read = readIdentity(session.askInfo).then(async (identity) => ({
    ...identity?.info,
    ...(await readAnswers(session.askInfo, identity?.telemetryIds ?? [])),
  }));
  expect(far.written()).toBe("cc 80");
  far.say("CC 82 CC 83 CC 81"); // two bytes: version 3, features 1
  for (const [asked, answer] of [
    ["cc 81", "CC 81 CC 85"],
    ["cc 82", "CC 82 CC 80 CC 81"],
    ["cc 83", "CC 82 CC 80 CC 9F"],
    ["cc 84", "CC 82 CC 80 CC 80"],
    ["cc 85", "CC 82 CE 83 CE 81"],
  ] as const) {
    await clock.advance(millis(0));
    expect(far.written()).toBe(asked);
    far.say(answer);
  }
  expect(await read).toEqual({
    version: 3,
    features: 1,
    hardwareId: "05",
    hardwareConfig: "0001",
    temperatureC: 31,
    busVoltageMax: 13.1,
    busVoltageMin: 12.9,
  });
  expect(far.written()).toBe("");
  session.close();
});

test("an answer that stays away or an adapter that starts over ends the question", async () => {
  const { clock, far, session } = await ready();
  const silent = session.askInfo(0);
  await clock.advance(seconds(1));
  expect(await silent).toBeUndefined();
  await clock.advance(seconds(3));
  const cut = session.askInfo(0);
  far.say("CC 82 CC 83 C0 81");
  expect(await cut).toBeUndefined();
  session.close();
  expect(clock.pending).toBe(0);
});
