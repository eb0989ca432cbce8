import fc from "fast-check";
import { expect, test } from "vitest";
import { INITIATORS, isInitiator } from "./addresses.ts";
import { crcOf } from "./crc.ts";
import { createDecoder, type Heard } from "./decoder.ts";
import { encodeCommand, encodeResponse } from "./encode.ts";
import { ACK, BROADCAST, ESC, NACK, SYN } from "./symbols.ts";
import { kindOf, type Telegram } from "./telegram.ts";

const bytes = (text: string): number[] => [...Buffer.from(text.replaceAll(" ", ""), "hex")];

function hear(symbols: Iterable<number>): Heard[] {
  const decoder = createDecoder();
  const events: Heard[] = [];
  for (const symbol of symbols) decoder.push(symbol, (event) => events.push(event));
  return events;
}

const telegrams = (events: readonly Heard[]): Telegram[] =>
  events.flatMap((e) => (e.kind === "telegram" ? [e.telegram] : []));
const broken = (events: readonly Heard[]): string[] => events.flatMap((e) => (e.kind === "broken" ? [e.reason] : []));

function wireOf(telegram: Telegram): number[] {
  const wire = [...encodeCommand(telegram)];
  if (telegram.kind !== "broadcast") wire.push(ACK);
  if (telegram.response) wire.push(...encodeResponse(telegram.response), ACK);
  return wire;
}

const byte = fc.integer({ min: 0, max: 255 });
const payload = fc.uint8Array({ maxLength: 16 });

function anyTelegram(): fc.Arbitrary<Telegram> {
  return fc
    .record({
      source: fc.constantFrom(...INITIATORS),
      target: byte,
      primary: byte,
      secondary: byte,
      data: payload,
      response: payload,
    })
    .filter(({ source, target }) => target !== SYN && target !== ESC && target !== source)
    .map(({ response, ...command }) => {
      const kind = kindOf(command.target);
      return kind === "target" ? { ...command, kind, response } : { ...command, kind };
    });
}

// @proves ebus.frame.broadcast ebus.frame.initiator-initiator ebus.frame.initiator-target ebus.frame.response-crc-range ebus.symbol.escape-range
// @proves ebus.symbol.nn-logical
test("telegrams of every kind are read back as they were sent", () => {
  fc.assert(
    fc.property(fc.array(anyTelegram(), { maxLength: 6 }), (sent) => {
      const wire = [SYN, ...sent.flatMap((telegram) => [...wireOf(telegram), SYN])];
      const events = hear(wire);
      expect(telegrams(events)).toEqual(sent);
      expect(broken(events)).toEqual([]);
    }),
  );
});

test("nothing is believed before the first SYN", () => {
  const telegram: Telegram = {
    kind: "broadcast",
    source: 0x10,
    target: BROADCAST,
    primary: 7,
    secondary: 0,
    data: Uint8Array.of(1),
  };
  expect(telegrams(hear([...wireOf(telegram), SYN]))).toEqual([]);
  expect(telegrams(hear([SYN, ...wireOf(telegram), SYN]))).toEqual([telegram]);
});

// @proves ebus.symbol.syn ebus.symbol.escape-a9 ebus.symbol.escape-aa
test("an escaped AA is data and a raw AA ends everything", () => {
  const whole = bytes("AA 31 15 B5 24 06 02 00 00 00 56 00");
  const command = [
    ...encodeCommand({
      source: 0x31,
      target: 0x15,
      primary: 0xb5,
      secondary: 0x24,
      data: Uint8Array.from(bytes("02 00 00 00 56 00")),
    }),
  ];
  expect(command.slice(0, 11)).toEqual(whole.slice(1));
  const events = hear([SYN, ...command, ACK, ...bytes("08 01 00 56 00 A9 00 A9 01 00 00 F4"), ACK, SYN]);
  expect(telegrams(events)[0]?.response).toEqual(Uint8Array.from(bytes("01 00 56 00 A9 AA 00 00")));
  expect(broken(hear([SYN, ...command.slice(0, 6), SYN]))).toEqual(["cut_short"]);
});

// @proves ebus.symbol.ack-nack
test("a command that is refused once is read from its repetition", () => {
  const command = encodeCommand({ source: 0x71, target: 0x08, primary: 7, secondary: 4, data: new Uint8Array() });
  const answer = encodeResponse(Uint8Array.of(1));
  const events = hear([SYN, ...command, NACK, ...command, ACK, ...answer, ACK, SYN]);
  expect(telegrams(events)).toHaveLength(1);
  expect(broken(hear([SYN, ...command, NACK, ...command, NACK, SYN]))).toEqual(["nack"]);
});

test("a response that is refused once is read from its repetition", () => {
  const command = encodeCommand({ source: 0x71, target: 0x08, primary: 7, secondary: 4, data: new Uint8Array() });
  const good = encodeResponse(Uint8Array.of(0x12));
  const bad = Uint8Array.of(1, 0x12, (good[2] ?? 0) ^ 1);
  expect(telegrams(hear([SYN, ...command, ACK, ...bad, NACK, ...good, ACK, SYN]))[0]?.response).toEqual(
    Uint8Array.of(0x12),
  );
  expect(broken(hear([SYN, ...command, ACK, ...bad, NACK, ...bad, NACK, SYN]))).toEqual(["crc_mismatch"]);
  expect(broken(hear([SYN, ...command, ACK, ...bad, ACK, SYN]))).toEqual(["crc_mismatch"]);
});

test("silence where an answer belongs is told apart from a telegram that was cut", () => {
  const command = encodeCommand({ source: 0x71, target: 0x50, primary: 7, secondary: 4, data: new Uint8Array() });
  expect(broken(hear([SYN, ...command, SYN]))).toEqual(["no_answer"]);
  expect(broken(hear([SYN, ...command, ACK, SYN]))).toEqual(["no_answer"]);
  expect(broken(hear([SYN, ...command, ACK, 0x02, 0x01, SYN]))).toEqual(["cut_short"]);
});

test("an address alone between two SYN is a lost arbitration, not a telegram", () => {
  expect(hear([SYN, 0x10, SYN]).filter((event) => event.kind === "lone")).toEqual([{ kind: "lone", source: 0x10 }]);
});

// @proves ebus.symbol.escape-invalid
test("wrong escapes, addresses, lengths and answers break the telegram and nothing else", () => {
  const ping: Telegram = {
    kind: "broadcast",
    source: 0x10,
    target: BROADCAST,
    primary: 7,
    secondary: 0xff,
    data: new Uint8Array(),
  };
  for (const [text, reason] of [
    ["31 15 A9 02", "escape"],
    ["32 15 07", "address"],
    ["31 31 07", "address"],
    ["31 15 07 04 20", "length"],
    ["31 15 07 04 00 8B 55", "protocol"],
    ["10 FE 07 FF 00 00", "crc_mismatch"],
  ] as const) {
    const events = hear([SYN, ...bytes(text), 0x42, SYN, ...wireOf(ping), SYN]);
    expect(broken(events), text).toEqual([reason]);
    expect(telegrams(events), text).toEqual([ping]);
  }
});

test("noise of any kind neither stops the decoder nor hides the next telegram", () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), anyTelegram(), (noise, telegram) => {
      const events = hear([SYN, ...noise, SYN, ...wireOf(telegram), SYN]);
      expect(telegrams(events).at(-1)).toEqual(telegram);
    }),
  );
});

test("a flipped bit never yields a telegram from a source that is no initiator", () => {
  fc.assert(
    fc.property(anyTelegram(), fc.nat(), fc.integer({ min: 0, max: 7 }), (telegram, where, bit) => {
      const wire = wireOf(telegram);
      const at = where % wire.length;
      wire[at] = (wire[at] ?? 0) ^ (1 << bit);
      for (const heard of telegrams(hear([SYN, ...wire, SYN]))) expect(isInitiator(heard.source)).toBe(true);
    }),
  );
});

// @proves ebus.symbol.broadcast-target-only
test("FE is a target and never a source", () => {
  const [broadcast] = telegrams(hear([SYN, ...bytes("31 FE 07 FE 00 35"), SYN]));
  expect(broadcast).toMatchObject({ kind: "broadcast", source: 0x31 });
  expect(broken(hear([SYN, ...bytes("FE 15 07 04 00"), SYN]))).toEqual(["address"]);
  const from = { source: BROADCAST, target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() };
  expect(() => encodeCommand(from)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

// @proves ebus.frame.nn-received-limit
test("31 data bytes are read, 32 are corrupt, in commands and in responses", () => {
  const long = (length: number): number[] => {
    const logical = [0x10, BROADCAST, 0xb5, 0x16, length, ...Array.from({ length }, (_, n) => n)];
    return [...logical, crcOf(logical)];
  };
  expect(telegrams(hear([SYN, ...long(31), SYN]))[0]?.data).toHaveLength(31);
  expect(broken(hear([SYN, ...long(32), SYN]))).toEqual(["length"]);
  const command = bytes("31 15 07 04 00 8B 00");
  const answer = (length: number): number[] => {
    const logical = [length, ...Array.from({ length }, (_, n) => n)];
    return [...logical, crcOf(logical)];
  };
  expect(telegrams(hear([SYN, ...command, ...answer(31), ACK, SYN]))[0]?.response).toHaveLength(31);
  expect(broken(hear([SYN, ...command, ...answer(32), ACK, SYN]))).toEqual(["length"]);
});
