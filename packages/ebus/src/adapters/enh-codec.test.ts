import fc from "fast-check";
import { expect, test } from "vitest";
import { createEnhDecoder, encodeEnh, type EnhEvent } from "./enh-codec.ts";

const bytes = (text: string): number[] => [...Buffer.from(text.replaceAll(" ", ""), "hex")];

function hear(input: Iterable<number>): EnhEvent[] {
  const decoder = createEnhDecoder();
  const events: EnhEvent[] = [];
  for (const byte of input) decoder.push(byte, (event) => events.push(event));
  return events;
}

// @proves ebus.enh.pair-layout ebus.enh.vector-init-send ebus.enh.vector-start-info
test.each([
  ["init", 0x00, "C0 80"],
  ["init", 0x01, "C0 81"],
  ["send", 0x00, "C4 80"],
  ["send", 0x15, "C4 95"],
  ["send", 0x5a, "C5 9A"],
  ["send", 0xa9, "C6 A9"],
  ["send", 0xaa, "C6 AA"],
  ["send", 0xff, "C7 BF"],
  ["start", 0x31, "C8 B1"],
  ["start", 0x71, "C9 B1"],
  ["start", 0xa5, "CA A5"],
  ["start", 0xaa, "CA AA"],
  ["info", 0x00, "CC 80"],
  ["info", 0x03, "CC 83"],
  ["info", 0x07, "CC 87"],
] as const)("%s %i is sent as %s", (request, data, text) => {
  expect([...encodeEnh(request, data)]).toEqual(bytes(text));
});

// @proves ebus.enh.short-received ebus.enh.vector-received-resetted ebus.enh.vector-started-failed ebus.enh.vector-errors ebus.enh.command-codes
test.each([
  ["C0 81", { kind: "resetted", features: 1 }],
  ["00", { kind: "received", symbol: 0 }],
  ["C4 80", { kind: "received", symbol: 0 }],
  ["C6 80", { kind: "received", symbol: 0x80 }],
  ["C6 AA", { kind: "received", symbol: 0xaa }],
  ["C9 B1", { kind: "started", source: 0x71 }],
  ["E8 90", { kind: "failed", winner: 0x10 }],
  ["E8 83", { kind: "failed", winner: 0x03 }],
  ["EC 80", { kind: "bus-error", code: 0 }],
  ["EC 81", { kind: "bus-error", code: 1 }],
  ["F0 80", { kind: "host-error", code: 0 }],
  ["F0 81", { kind: "host-error", code: 1 }],
  ["CC 88", { kind: "info", byte: 8 }],
] as const)("%s is heard as $kind", (text, event) => {
  expect(hear(bytes(text))).toEqual([event]);
});

// @proves ebus.enh.orphan-second-byte ebus.enh.missing-second-byte
test("a broken pair is told and the next one is read all the same", () => {
  expect(hear(bytes("AA C6 AA"))).toEqual([
    { kind: "malformed", what: "orphan", byte: 0xaa },
    { kind: "received", symbol: 0xaa },
  ]);
  expect(hear(bytes("C6 15"))).toEqual([
    { kind: "malformed", what: "half", byte: 0xc6 },
    { kind: "received", symbol: 0x15 },
  ]);
  expect(hear(bytes("C6 C6 AA"))).toEqual([
    { kind: "malformed", what: "half", byte: 0xc6 },
    { kind: "received", symbol: 0xaa },
  ]);
  expect(hear(bytes("D0 80 15"))[0]).toEqual({ kind: "malformed", what: "command", byte: 0xd0 });
});

test("no input stops the decoder", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
      const decoder = createEnhDecoder();
      for (const byte of noise) decoder.push(byte, () => {});
      decoder.reset();
      const events: EnhEvent[] = [];
      for (const byte of bytes("C6 AA")) decoder.push(byte, (event) => events.push(event));
      expect(events).toEqual([{ kind: "received", symbol: 0xaa }]);
    }),
  );
});

// @proves ebus.enh.split-segments ebus.enh.joined-segments
test("pairs read the same however they are cut", () => {
  const whole = bytes("C0 81 C6 AA 15 C9 B1 E8 90 C4 80 EC 81");
  const expected = hear(whole);
  expect(expected).toHaveLength(7);
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const decoder = createEnhDecoder();
      const events: EnhEvent[] = [];
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      places.forEach((from, n) => {
        for (const byte of whole.slice(from, places[n + 1])) decoder.push(byte, (event) => events.push(event));
      });
      expect(events).toEqual(expected);
    }),
  );
});
