import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRig, type Rig } from "../testing/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.close());

const read = async (address: string): Promise<string> => (await rig.answer(`08 B5 09 03 0D ${address}`)).slice(3);

describe("the boiler", () => {
  // @proves ebus.house.b509-image
  test.each([
    ["18 00", "32 02 00"],
    ["02 00", "80 01"],
    ["05 00", "F0"],
    ["BB 00", "F0"],
    ["44 00", "0F"],
    ["83 00", "00 00"],
    ["2E 00", "00 00"],
    ["AB 00", "00"],
    ["0E 04", "F0"],
    ["A5 00", "C0 04"],
    ["28 00", "10 27"],
    ["29 00", "88 13"],
    ["49 04", "11"],
    ["20 04", "E8 03"],
  ])("register %s", async (address, data) => {
    expect(await read(address)).toBe(data);
  });

  test("the flow temperature question has the contract's checksums from 31 and 71", async () => {
    expect(await rig.ask("08 B5 09 03 0D 18 00", 0x31)).toMatchObject({ outcome: "done", commandCrc: 0x36 });
    expect(await rig.ask("08 B5 09 03 0D 18 00", 0x71)).toMatchObject({ outcome: "done", commandCrc: 0xba });
  });

  // @proves ebus.house.boiler-serial
  test("its serial number in four pieces", async () => {
    let text = "";
    for (const piece of ["24", "25", "26", "27"]) {
      const { data } = await rig.ask(`08 B5 09 01 ${piece}`);
      expect(data[0]).toBe(0x00);
      text += Buffer.from(data.slice(1)).toString("ascii");
    }
    expect(text.trim()).toBe("21231600202609140953035469N6");
  });

  test("writes are stored and read back; what is out of range is acknowledged and ignored", async () => {
    expect(await rig.answer("08 B5 09 05 0E A5 00 71 03")).toBe("00"); // 55.0625
    expect(await read("A5 00")).toBe("71 03");
    expect(await rig.answer("08 B5 09 05 0E A5 00 11 05")).toBe("00"); // 81.0625
    expect(await read("A5 00")).toBe("71 03");
    expect(await rig.answer("08 B5 09 04 0E 49 04 2A")).toBe("00");
    expect(await read("49 04")).toBe("2A");
    expect(await rig.answer("08 B5 09 05 0E 18 00 71 03")).toBe("01 00");
    expect(await read("FF 7F")).toBe("00");
  });

  test("its status as captured, with the contract's checksums", async () => {
    expect(await rig.ask("08 B5 11 01 01", 0x10)).toMatchObject({ commandCrc: 0x89, responseCrc: 0x23 });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["09 31 30 00 80 30 FF 00 01 FF"]);
  });

  test("an error shows in the list of active ones, with the contract's checksums", async () => {
    expect(await rig.answer("08 B5 03 02 00 01")).toBe("0A FF FF FF FF FF FF FF FF FF FF");
    rig.house.knobs.turn({ boilerError: 281 });
    expect(await rig.ask("08 B5 03 02 00 01", 0xf1)).toMatchObject({ commandCrc: 0x3d, responseCrc: 0xbd });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["0A 19 01 FF FF FF FF FF FF FF FF"]);
    expect(await rig.answer("08 B5 03 02 01 01")).toBe("0A 19 01 FF FF FF FF FF FF FF FF");
  });

  test("mode, operational data, energy, circulation", async () => {
    expect(await rig.answer("08 B5 10 09 00 00 00 FF FF FF 01 00 00")).toBe("01 01");
    expect(await rig.answer("08 B5 04 01 00")).toBe("0A FF FF FF FF FF FF FF FF 00 80");
    expect(await rig.answer("08 B5 04 01 0D")).toBe("05 20 23 00 1E 01");
    expect(await rig.answer("08 B5 16 08 10 03 FF FF 04 03 00 32")).toBe("0B 03 00 FF 04 03 00 32 00 00 00 00");
    expect(await rig.answer("08 B5 12 02 00 64")).toBe("00");
    expect(await read("7B 00")).toBe("0F");
  });

  test("a heat pump in its place uses the same numbers for other things, and big endian numbers", async () => {
    rig.house.knobs.turn({ heatSource: "heat-pump" });
    expect(await rig.answer("08 07 04 00")).toBe("0A B5 48 4D 55 30 30 09 02 51 03");
    expect(await read("BB 00")).toBe("2A");
    expect(await read("18 00")).toBe("00");
    expect(await rig.answer("08 B5 24 06 02 00 00 00 73 00")).toBe("08 01 00 73 00 40 C8 00 00");
    expect(await rig.answer("08 B5 11 01 01")).toBe("01 00");
  });
});

describe("the modules", () => {
  test("the VR_71's sensors as captured", async () => {
    expect(await rig.answer("26 B5 23 01 06", 0x10)).toBe("10 CD 00 0C 01 1E 01 00 80 E7 02 E9 02 76 05 40 00");
    expect(await rig.answer("26 B5 23 01 07", 0x10)).toBe("0A 00 80 00 80 00 80 00 80 00 80");
    expect(await rig.answer("26 B5 23 03 02 01 00", 0x10)).toBe("01 9C");
  });

  test("the VR_92 can be taken off the wire", async () => {
    rig.house.knobs.turn({ vr92: false });
    expect((await rig.ask("35 07 04 00")).outcome).toBe("timeout");
  });
});
