import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createDecoder, type Heard } from "../wire/decoder.ts";
import { fromHex, toHex } from "../testing/memory-link.ts";
import { createExchange } from "./exchange.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import { busTiming } from "./timing.ts";

/** An exchange whose arbitration was just won with 71. The wire echoes nothing by itself. */
function won({ target = 0x15, data = "", latencyMs = 0 } = {}) {
  const clock = createManualClock();
  const decoder = createDecoder();
  const sent: number[] = [];
  let result: ExchangeResult | undefined;
  const exchange = createExchange({
    command: { source: 0x71, target, primary: 0x07, secondary: 0x04, data: fromHex(data) },
    clock,
    timing: busTiming({ latencyMs }),
    send: (symbol) => void sent.push(symbol),
    ended: (given) => (result = given),
  });
  for (const symbol of [0xaa, 0x71]) decoder.push(symbol, () => {});
  exchange.begin();
  function hear(hex: string): void {
    for (const symbol of fromHex(hex)) {
      const events: Heard[] = [];
      decoder.push(symbol, (event) => events.push(event));
      exchange.hear(symbol, events);
    }
  }
  /** Echoes what was sent until nothing more comes. */
  function echo(): string {
    const from = sent.length - 1;
    for (let at = from; at < sent.length; at += 1) hear(toHex([sent[at] ?? 0]));
    return toHex(sent.slice(from));
  }
  return { clock, sent, hear, echo, result: () => result };
}

// @proves ebus.timing.echo-compare ebus.exchange.release-syn
test("each symbol waits for the echo of the one before, and one SYN releases the bus", () => {
  const { sent, hear, echo, result, clock } = won();
  expect(toHex(sent)).toBe("15");
  hear("15");
  expect(toHex(sent)).toBe("15 07");
  hear("07");
  expect(echo()).toBe("04 00 19");
  hear("00 02 12 34");
  expect(toHex(sent)).toBe("15 07 04 00 19");
  hear(toHex([crcOfResponse()]));
  expect(echo()).toBe("00 aa");
  expect(result()).toEqual({
    outcome: "success",
    reason: "done",
    response: fromHex("12 34"),
    transmissions: 1,
    acknowledged: true,
  });
  expect(clock.pending).toBe(0);
});

function crcOfResponse(): number {
  let crc = 0;
  for (const byte of [2, 0x12, 0x34]) {
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x9b) & 0xff : (crc << 1) & 0xff;
    crc ^= byte;
  }
  return crc;
}

// @proves ebus.enh.host-escapes ebus.enh.echo
test("data A9 and AA go out escaped, and each half is compared with its echo", () => {
  const { echo } = won({ target: 0xfe, data: "A9 AA" });
  expect(echo().startsWith("fe 07 04 02 a9 00 a9 01")).toBe(true);
});

test("a broadcast and a telegram to an initiator end without a response", () => {
  const broadcast = won({ target: 0xfe });
  expect(broadcast.echo().endsWith(" aa")).toBe(true);
  expect(broadcast.result()).toMatchObject({ outcome: "success", acknowledged: false });
  const initiator = won({ target: 0x10 });
  initiator.echo();
  initiator.hear("00");
  expect(initiator.echo()).toBe("aa");
  expect(initiator.result()).toMatchObject({ outcome: "success", acknowledged: true });
});

// @proves ebus.timing.echo-wait ebus.timing.latency-range
test.each([0, 60])("with %i ms of latency the echo has 10 ms more than that", async (latencyMs) => {
  const { clock, sent, result } = won({ latencyMs });
  await clock.advance(millis(9 + latencyMs));
  expect(result()).toBeUndefined();
  await clock.advance(millis(1));
  expect(result()).toMatchObject({ outcome: "timeout", reason: "no_echo" });
  expect(toHex(sent)).toBe("15");
});

// @proves ebus.timing.answer-wait
test.each([0, 60])("with %i ms of latency an answer has 25 ms more than that", async (latencyMs) => {
  const { clock, echo, sent, result } = won({ latencyMs });
  echo();
  await clock.advance(millis(24 + latencyMs));
  expect(result()).toBeUndefined();
  await clock.advance(millis(1));
  expect(result()).toMatchObject({ outcome: "timeout", reason: "no_answer", acknowledged: false });
  expect(toHex(sent)).toBe("15 07 04 00 19");
});

test("what arrived before the verdict counts, however late the process is", async () => {
  const { clock, echo, hear, result } = won();
  echo();
  // The timer is due, and in the same moment the bytes that were waiting are read.
  clock.timer(millis(25), () => hear("00"));
  await clock.advance(millis(25));
  expect(result()).toBeUndefined();
});

// @proves ebus.exchange.syn-is-no-answer
test("a SYN where an ACK or a response byte belongs is no answer, and nothing more is sent", () => {
  const silent = won();
  silent.echo();
  silent.hear("aa");
  expect(silent.result()).toMatchObject({ outcome: "timeout", acknowledged: false });
  expect(silent.sent.at(-1)).toBe(0x19);
  const cut = won();
  cut.echo();
  cut.hear("00 02 12 aa");
  expect(cut.result()).toMatchObject({ outcome: "timeout", acknowledged: true });
  expect(cut.sent.at(-1)).toBe(0x19);
});

// @proves ebus.exchange.nack-repeat-no-arbitration
test("after a NACK the whole command follows at once, its address included", () => {
  const { echo, hear, sent, result } = won();
  echo();
  hear("ff");
  expect(sent.at(-1)).toBe(0x71);
  expect(echo()).toBe("71 15 07 04 00 19");
  hear("ff");
  expect(echo()).toBe("aa");
  expect(result()).toMatchObject({ outcome: "nack", reason: "refused", transmissions: 2, acknowledged: false });
});

test("a wrong echo stops everything at once", () => {
  const { hear, sent, result } = won();
  hear("11");
  expect(result()).toMatchObject({ outcome: "echo_mismatch" });
  hear("aa 15 07");
  expect(toHex(sent)).toBe("15");
});
