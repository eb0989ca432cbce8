import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createManualHouseClock } from "../house/manual-clock.ts";
import { crc16, withCrc } from "./crc16.ts";
import { createEsp32Board } from "./esp32-board.ts";
import { answerPdu } from "./pdu.ts";
import { createRelayBoard } from "./relay-board.ts";
import { createMbapReader, createRtuReader } from "./request-readers.ts";
import { fromImage, type Unit } from "./unit.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const hex = (all: Uint8Array): string => Buffer.from(all).toString("hex");
const contacts = { clock: createManualHouseClock(), beforeMove: () => {} };

const words = (...values: number[]): ReadonlyMap<number, number> => new Map(values.entries());
/** Something with every table, as the contract's vectors want it. */
const sample: Unit = {
  address: 1,
  model: "sample",
  answers: true,
  coils: (start, count) => {
    const all = start === 0 ? [0x05] : [0xcd, 0x6b, 0x05];
    return Array.from({ length: count }, (_, i) => (((all[i >> 3] ?? 0) >> (i & 7)) & 1) === 1);
  },
  discretes: (_, count) => Array.from({ length: count }, (__, i) => ((0x81 >> i) & 1) === 1),
  holding: (start, count) => fromImage(words(0x41cc, 0), start, count),
  input: (start, count) => fromImage(words(0, 276, 582), start, count),
  writeCoil: () => {},
  writeCoils: () => {},
  writeRegisters: () => {},
};
const cold: Unit = {
  address: 2,
  model: "cold",
  answers: true,
  input: (start, count) => fromImage(words(-50, 613), start, count),
};
const bare: Unit = { address: 1, model: "bare", answers: true };
const board = createEsp32Board({ ...contacts, address: 6 });

const VECTORS: readonly (readonly [string, Unit, string, string])[] = [
  ["FC01 unit 1, coils 0..7", sample, "01 01 00 00 00 08 3D CC", "01 01 01 05 91 8B"],
  ["FC01 unit 1, 19 coils from 0x13", sample, "01 01 00 13 00 13 8C 02", "01 01 03 CD 6B 05 42 82"],
  ["FC02 unit 1, inputs 0..7", sample, "01 02 00 00 00 08 79 CC", "01 02 01 81 61 E8"],
  ["FC03 unit 6, about the board", board, "06 03 00 00 00 04 45 BE", "06 03 08 00 01 00 06 00 06 00 00 F7 62"],
  ["FC03 unit 1, float32 25.5", sample, "01 03 00 00 00 02 C4 0B", "01 03 04 41 CC 00 00 2E 30"],
  ["FC04 unit 1, two inputs", sample, "01 04 00 01 00 02 20 0B", "01 04 04 01 14 02 46 3A EE"],
  ["FC04 unit 2, a negative one", cold, "02 04 00 00 00 02 71 F8", "02 04 04 FF CE 02 65 58 24"],
  ["FC05 coil 0 ON", sample, "01 05 00 00 FF 00 8C 3A", "01 05 00 00 FF 00 8C 3A"],
  ["FC05 coil 0 OFF", sample, "01 05 00 00 00 00 CD CA", "01 05 00 00 00 00 CD CA"],
  ["FC05 unit 6 coil 3 ON", board, "06 05 00 03 FF 00 7D 8D", "06 05 00 03 FF 00 7D 8D"],
  ["FC06 register 1 = 3", sample, "01 06 00 01 00 03 98 0B", "01 06 00 01 00 03 98 0B"],
  ["FC06 board address", sample, "01 06 40 00 00 02 1D CB", "01 06 40 00 00 02 1D CB"],
  ["FC0F coils 0..7 ON", sample, "01 0F 00 00 00 08 01 FF BE D5", "01 0F 00 00 00 08 54 0D"],
  ["FC0F coils 0..7 OFF", sample, "01 0F 00 00 00 08 01 00 FE 95", "01 0F 00 00 00 08 54 0D"],
  ["FC0F unit 6 coils 1..6", board, "06 0F 00 01 00 06 01 25 22 AB", "06 0F 00 01 00 06 85 BE"],
  ["FC0F 10 coils from 0x13", sample, "01 0F 00 13 00 0A 02 CD 01 72 CB", "01 0F 00 13 00 0A 24 09"],
  ["FC10 registers 1..2", sample, "01 10 00 01 00 02 04 00 0A 01 02 92 30", "01 10 00 01 00 02 10 08"],
  ["FC10 float 25.5", sample, "01 10 00 00 00 02 04 41 CC 00 00 27 AC", "01 10 00 00 00 02 41 C8"],
  ["exception 02", sample, "01 03 00 64 00 01 C5 D5", "01 83 02 C0 F1"],
  ["exception 01", bare, "01 01 00 00 00 08 3D CC", "01 81 01 81 90"],
];

describe("the bytes of Modbus", () => {
  test("the checksum of 123456789 is 37 4B on the wire", () => {
    expect(hex(withCrc(new TextEncoder().encode("123456789"))).slice(-4)).toBe("374b");
  });

  test.each(VECTORS)("%s is answered to the byte over RTU and over TCP", (_, unit, request, answer) => {
    const [rtu] = createRtuReader().read(bytes(request));
    expect(rtu?.unit).toBe(unit.address);
    expect(hex(withCrc(Uint8Array.of(unit.address, ...answerPdu(unit, rtu?.pdu ?? bytes("")))))).toBe(
      hex(bytes(answer)),
    );
    const pdu = bytes(request).slice(1, -2);
    const [tcp] = createMbapReader().read(Uint8Array.of(0, 1, 0, 0, 0, pdu.length + 1, unit.address, ...pdu));
    expect(tcp).toEqual({ transaction: 1, unit: unit.address, pdu });
  });

  test("the coils of the six-channel board read back as they were written", () => {
    answerPdu(board, bytes("0F 00 01 00 06 01 05"));
    expect(hex(withCrc(Uint8Array.of(6, ...answerPdu(board, bytes("01 00 01 00 06")))))).toBe("0601010590ff");
  });

  test("requests come out whole, however they were cut and joined", () => {
    const frames = VECTORS.map(([, , request]) => bytes(request));
    const all = Uint8Array.from(frames.flatMap((frame) => [...frame]));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (cuts) => {
        const reader = createRtuReader();
        const found: string[] = [];
        for (let at = 0, i = 0; at < all.length; i++) {
          const size = cuts[i % cuts.length] ?? 1;
          for (const { unit, pdu } of reader.read(all.slice(at, at + size)))
            found.push(hex(Uint8Array.of(unit, ...pdu)));
          at += size;
        }
        expect(found).toEqual(frames.map((frame) => hex(frame.slice(0, -2))));
        expect(reader.rejected).toBe(0);
      }),
    );
  });

  test("rubbish before a request is dropped and counted, and the request is found", () => {
    const reader = createRtuReader();
    const [found] = reader.read(bytes("AA 55 01 03 00 00 00 02 C4 0B"));
    expect(found?.unit).toBe(1);
    expect(reader.rejected).toBeGreaterThan(0);
    expect(crc16(bytes("01 03 00 00 00 02 C4 0B"))).toBe(0);
  });
});

describe("a Waveshare board", () => {
  test("switches one channel, toggles, switches all and pulses by itself", () => {
    const clock = createManualHouseClock();
    const relays = createRelayBoard({ clock, beforeMove: () => {}, address: 1, channels: 8 });
    const closed = (): number[] => [1, 2, 3, 4, 5, 6, 7, 8].filter((channel) => relays.isClosed(channel));
    answerPdu(relays, bytes("05 00 02 FF 00"));
    expect(closed()).toEqual([3]);
    answerPdu(relays, bytes("05 00 00 55 00"));
    expect(closed()).toEqual([1, 3]);
    answerPdu(relays, bytes("05 00 FF FF 00"));
    expect(closed()).toHaveLength(8);
    answerPdu(relays, bytes("05 01 FF 00 00"));
    expect(closed()).toEqual([]);
    answerPdu(relays, bytes("05 02 00 00 07"));
    expect(closed()).toEqual([1]);
    clock.advance(699);
    expect(closed()).toEqual([1]);
    clock.advance(1);
    expect(closed()).toEqual([]);
  });

  test("refuses a coil it has not, a value that is none, and a pulse that is too long", () => {
    const relays = createRelayBoard({ ...contacts, address: 1, channels: 8 });
    expect(hex(answerPdu(relays, bytes("05 00 08 FF 00")))).toBe("8502");
    expect(hex(answerPdu(relays, bytes("05 00 00 12 34")))).toBe("8503");
    expect(hex(answerPdu(relays, bytes("05 02 00 80 00")))).toBe("8503");
    expect(hex(answerPdu(relays, bytes("01 00 FF 00 01")))).toBe("8102");
    expect(hex(answerPdu(relays, bytes("2B 0E 01 00"))).startsWith("2b0e0101")).toBe(true);
  });
});
