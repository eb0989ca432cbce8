import { afterEach, describe, expect, test } from "vitest";
import { fromHex, toHex } from "../hex.ts";
import { createRig, type Rig } from "../testing/rig.ts";
import { createEnhReader, enhPair, enhReceived, TO_HOST } from "./enh-bytes.ts";

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

describe("bytes of the enhanced protocol", () => {
  // @proves ebus.enh.short-send
  test.each([
    ["C0 80", 0x0, 0x00],
    ["C0 81", 0x0, 0x01],
    ["C4 80", 0x1, 0x00],
    ["00", 0x1, 0x00],
    ["C4 95", 0x1, 0x15],
    ["15", 0x1, 0x15],
    ["C5 9A", 0x1, 0x5a],
    ["C6 A9", 0x1, 0xa9],
    ["C6 AA", 0x1, 0xaa],
    ["C7 BF", 0x1, 0xff],
    ["C8 B1", 0x2, 0x31],
    ["C9 B1", 0x2, 0x71],
    ["CA A5", 0x2, 0xa5],
    ["CA AA", 0x2, 0xaa],
    ["CC 80", 0x3, 0x00],
    ["CC 83", 0x3, 0x03],
    ["CC 87", 0x3, 0x07],
  ])("from a host, %s", (bytes, command, data) => {
    const reader = createEnhReader();
    expect([...fromHex(bytes)].flatMap((byte) => reader.push(byte))).toEqual([{ kind: "command", command, data }]);
  });

  test("to a host", () => {
    const printed = [
      enhPair(TO_HOST.RESETTED, 0x01),
      enhReceived(0x00),
      enhReceived(0x80),
      enhReceived(0xaa),
      enhPair(TO_HOST.STARTED, 0x71),
      enhPair(TO_HOST.FAILED, 0x10),
      enhPair(TO_HOST.FAILED, 0x03),
      enhPair(TO_HOST.ERROR_EBUS, 0x00),
      enhPair(TO_HOST.ERROR_EBUS, 0x01),
      enhPair(TO_HOST.ERROR_HOST, 0x00),
      enhPair(TO_HOST.ERROR_HOST, 0x01),
      enhPair(TO_HOST.INFO, 0x08),
    ].map((bytes) => toHex(bytes));
    expect(printed).toEqual([
      "C0 81",
      "00",
      "C6 80",
      "C6 AA",
      "C9 B1",
      "E8 90",
      "E8 83",
      "EC 80",
      "EC 81",
      "F0 80",
      "F0 81",
      "CC 88",
    ]);
  });
});

/** What came from the port since then, SYN left out. */
function since(one: Rig, mark: number): string {
  return toHex(one.raw.slice(mark))
    .replaceAll(/ ?C6 AA/g, "")
    .trim();
}

describe("an enhanced adapter", () => {
  test("answers INIT with RESETTED and the features asked for", async () => {
    rig = await createRig();
    rig.write([0xc0, 0x81]);
    expect(toHex(rig.raw)).toBe("C0 81");
    rig.write([0xc0, 0x80]);
    expect(toHex(rig.raw)).toBe("C0 81 C0 80");
    rig.house.knobs.turn({ adapterInfo: false });
    rig.write([0xc0, 0x81]);
    expect(toHex(rig.raw.slice(4))).toBe("C0 80");
  });

  test("starts at the next SYN; its own QQ is not echoed, every SEND is", async () => {
    rig = await createRig();
    rig.write([0xc9, 0xb1]);
    rig.clock.advance(50);
    expect(toHex(rig.raw)).toBe("C6 AA C9 B1");
    rig.write([0x15, 0xc4, 0x87]);
    rig.clock.advance(20);
    expect(toHex(rig.raw.slice(4))).toBe("15 07");
    expect(rig.house.bus.turn).toBe("initiator");
  });

  test("takes a START back when told AA", async () => {
    rig = await createRig();
    rig.write([0xc9, 0xb1, 0xca, 0xaa]);
    rig.clock.advance(200);
    expect(since(rig, 0)).toBe("");
    expect(rig.house.bus.counters.arbitrations).toBe(0);
  });

  test("a host that does not take part hears the winner's QQ as a symbol like any other", async () => {
    rig = await createRig();
    const heard: number[] = [];
    rig.house.connect("enh", (bytes) => heard.push(...bytes));
    await rig.ask("15 07 04 00");
    expect(toHex(heard)).toContain("71 15 07 04 00 19 00 0A C6 B5 42 41 53 56 32 05 07 17 04 71 00 C6 AA");
  });

  test("escaping is the host's: wire bytes pass as they are", async () => {
    rig = await createRig();
    // From 71 the checksum of this read is AA.
    await rig.ask("15 B5 24 06 02 00 00 00 73 00");
    const [exchange] = rig.house.exchanges;
    expect(exchange?.wire).toMatch(/^71 15 B5 24 06 02 00 00 00 73 00 A9 01 00 /);
  });

  test.each([
    [0x00, "CC 88 CC 82 CC 81 CD 9B CC BC CC 8B CC 81 CE 9E CC A7"],
    [0x01, "CC 89 CC 80 CC A4 CD AF CC A8 CE B1 CD BC CC B1 CC 84 CD 9D"],
    [0x02, "CC 88 CC 92 CC B4 CC 80 CC 80 CC 80 CC 80 CC 80 CC 80"],
    [0x03, "CC 82 CC 80 CC A2"],
    [0x04, "CC 82 CC 93 CE 88"],
    [0x05, "CC 82 CE B9 CD A9"],
    [0x06, "CC 82 CC 81 CC 80"],
    [0x07, "CC 81 CF 84"],
    [0x09, "CC 80"],
  ])("tells INFO %i as length and bytes", async (id, reply) => {
    rig = await createRig();
    rig.write(enhPair(0x3, id));
    expect(toHex(rig.raw)).toBe(reply);
  });

  test("an older or wired adapter leaves out what it does not know", async () => {
    rig = await createRig({ knobs: { adapterVersionLength: 5, adapterJumpers: 0x05 } });
    rig.write(enhPair(0x3, 0x06));
    rig.write(enhPair(0x3, 0x07));
    expect(toHex(rig.raw)).toBe("CC 80 CC 80");
    rig.house.knobs.turn({ adapterInfo: false });
    rig.write(enhPair(0x3, 0x00));
    expect(rig.raw).toHaveLength(4);
  });

  test("an orphan second byte, a lone first byte and an unknown command are reported, and the line goes on", async () => {
    rig = await createRig();
    rig.write([0x81]);
    rig.write([0xc0, 0xc0, 0x81]);
    rig.write([0xd4, 0x80]);
    expect(toHex(rig.raw)).toBe("F0 80 F0 80 C0 81 F0 80");
    expect(rig.house.portCounters.garbled).toBe(3);
    expect(await rig.answer("15 07 04 00")).toContain("0A B5");
  });
});
