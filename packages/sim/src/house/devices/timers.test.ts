import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRig, type Rig } from "../testing/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.close());

const code = async (write: string): Promise<string> => (await rig.answer(`15 B5 55 0C A6 ${write}`)).slice(3);
const slot = async (selector: string): Promise<string> => (await rig.answer(`15 B5 55 05 A5 ${selector}`)).slice(3);

describe("reading", () => {
  test("the contract's vectors, with their checksums", async () => {
    expect(await rig.ask("15 B5 55 03 A3 00 00")).toMatchObject({ commandCrc: 0x5a, responseCrc: 0x2f });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["09 00 0C 0A 05 01 0C 05 1E 00"]);
    expect(await rig.ask("15 B5 55 05 A5 00 00 00 00", 0x31)).toMatchObject({ commandCrc: 0x9d, responseCrc: 0x54 });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["07 00 00 00 18 00 E1 00"]);
    expect(await rig.answer("15 B5 55 05 A5 00 02 05 00")).toBe("07 00 06 00 18 00 62 02");
  });

  // @proves ebus.house.b555-image
  test("the programs: zones, hot water, circulation", async () => {
    expect(await slot("00 00 05 00")).toBe("00 00 00 18 00 E1 00");
    expect(await slot("00 00 06 00")).toBe("00 00 00 12 00 E1 00");
    expect(await slot("01 00 00 00")).toBe("00 00 00 18 00 C8 00");
    expect(await slot("01 00 06 00")).toBe("00 00 00 12 00 C8 00");
    expect(await slot("FF 02 00 00")).toBe("00 00 00 18 00 62 02");
    expect(await slot("FF 02 05 00")).toBe("00 06 00 18 00 62 02");
    expect(await slot("FF 03 03 00")).toBe("00 00 00 18 00 FF FF");
    expect(await rig.answer("15 B5 55 03 A3 FF 02")).toBe("09 00 03 0A 0A 01 01 23 41 00");
    expect(await rig.answer("15 B5 55 03 A3 00 03")).toBe("09 00 03 0A 00 00 00 FF FF 00");
    expect(await rig.answer("15 B5 55 03 A3 00 01")).toBe("09 03 01 01 00 00 00 FF FF 00");
    expect(await rig.answer("15 B5 55 03 A3 02 00")).toBe("09 03 01 01 00 00 00 FF FF 00");
    expect(await rig.answer("15 B5 55 03 A4 00 00")).toBe("09 00 01 01 01 01 01 01 01 00");
    expect(await rig.answer("15 B5 55 03 A4 00 04")).toBe("09 03 00 00 00 00 00 00 00 00");
  });
});

describe("writing", () => {
  test("the contract's vectors, with their checksums", async () => {
    const own = await rig.ask("15 B5 55 0C A6 00 00 00 00 01 06 00 16 00 D7 00");
    expect(own).toMatchObject({ outcome: "done", commandCrc: 0xcc, responseCrc: 0x9b, data: [0x00] });
    expect(await slot("00 00 00 00")).toBe("00 06 00 16 00 D7 00");
    const cloud = await rig.ask("15 B5 55 0C A6 00 00 00 00 02 00 00 06 00 18 01", 0xf1);
    expect(cloud).toMatchObject({ outcome: "done", commandCrc: 0xae, responseCrc: 0x9b });
  });

  // @proves ebus.house.timer-slot-count
  test("more slots than there are: 01", async () => {
    expect(await code("00 00 00 00 0D 06 00 16 00 D7 00")).toBe("01");
    expect(await code("00 00 00 00 0C 06 00 16 00 D7 00")).toBe("00");
    expect(await code("FF 02 00 00 04 06 00 16 00 62 02")).toBe("01");
  });

  // @proves ebus.house.timer-hour
  test("hour 25: 01; 24:00 is fine", async () => {
    expect(await code("00 00 00 00 01 06 00 19 00 D7 00")).toBe("01");
    expect(await code("00 00 00 00 01 19 00 18 00 D7 00")).toBe("01");
    expect(await code("00 00 00 00 01 06 00 18 00 D7 00")).toBe("00");
  });

  // @proves ebus.house.timer-temperature
  test("a temperature outside the bounds: 06; the bounds are fine", async () => {
    expect(await code("00 00 00 00 01 06 00 18 00 31 00")).toBe("06"); // 4.9
    expect(await code("00 00 00 00 01 06 00 18 00 2D 01")).toBe("06"); // 30.1
    expect(await code("00 00 00 00 01 06 00 18 00 32 00")).toBe("00"); // 5.0
    expect(await code("00 00 00 00 01 06 00 18 00 2C 01")).toBe("00"); // 30.0
  });

  // @proves ebus.house.timer-heating-ffff
  test("heating without a temperature: 01", async () => {
    expect(await code("00 00 00 00 01 06 00 18 00 FF FF")).toBe("01");
  });

  // @proves ebus.house.timer-unavailable
  test("a timer that is not there: 03", async () => {
    expect(await code("00 01 00 00 01 06 00 18 00 D7 00")).toBe("03");
    expect(await code("02 00 00 00 01 06 00 18 00 D7 00")).toBe("03");
  });

  // @proves ebus.house.timer-dhw-full-day
  test("hot water at zone FF for the full day with a temperature: 06; zone 00 or FFFF is fine", async () => {
    expect(await code("FF 02 00 00 01 00 00 18 00 26 02")).toBe("06");
    expect(await code("00 02 00 00 01 00 00 18 00 26 02")).toBe("00");
    expect(await code("FF 02 00 00 01 00 00 18 00 FF FF")).toBe("00");
  });

  // @proves ebus.house.timer-not-checked
  test("inverted, empty, overlapping and gapped intervals are taken as they come", async () => {
    expect(await code("00 00 00 00 03 16 00 06 00 D7 00")).toBe("00");
    expect(await code("00 00 00 01 03 08 00 08 00 D7 00")).toBe("00");
    expect(await code("00 00 00 02 03 07 07 14 00 D7 00")).toBe("00");
    expect(await slot("00 00 00 00")).toBe("00 16 00 06 00 D7 00");
    expect(await slot("00 00 00 01")).toBe("00 08 00 08 00 D7 00");
    expect(await slot("00 00 00 02")).toBe("00 07 07 14 00 D7 00");
  });

  // @proves ebus.house.timer-dhw-setpoint
  test("hot water has one temperature: writing it moves the setpoint, FFFF leaves it, reads always show it", async () => {
    expect(await code("FF 02 00 00 01 05 00 16 00 26 02")).toBe("00"); // 55.0
    expect(await rig.answer("15 B5 24 06 02 00 01 00 04 00")).toBe("08 03 01 04 00 00 00 5C 42");
    expect(await slot("FF 02 03 00")).toBe("00 00 00 18 00 26 02");
    expect(await code("FF 02 01 00 01 05 00 16 00 FF FF")).toBe("00");
    expect(await slot("FF 02 01 00")).toBe("00 05 00 16 00 26 02");
  });

  // @proves ebus.house.timer-slow-slots
  test("slot 0 counts at once; a later slot that is slow to follow is acknowledged and lost", async () => {
    expect(await code("00 00 02 00 03 06 00 09 00 D7 00")).toBe("00");
    expect((await rig.answer("15 B5 55 03 A4 00 00")).slice(3)).toBe("00 01 01 03 01 01 01 01 00");
    expect(await code("00 00 02 00 03 06 00 09 00 D7 00")).toBe("00");
    expect(await code("00 00 02 01 03 0C 00 0D 00 D7 00")).toBe("00");
    rig.clock.advance(301);
    expect(await code("00 00 02 02 03 11 00 16 00 D7 00")).toBe("00");
    expect(await slot("00 00 02 01")).toBe("00 0C 00 0D 00 D7 00");
    expect(await slot("00 00 02 02")).toBe("00 06 00 09 00 D7 00"); // a copy of slot 0
  });

  test("by knob a slot in time is lost too", async () => {
    rig.house.knobs.faults.lostTimerSlot.arm();
    await code("00 00 02 00 03 06 00 09 00 D7 00");
    expect(await code("00 00 02 01 03 0C 00 0D 00 D7 00")).toBe("00");
    expect(await code("00 00 02 02 03 11 00 16 00 D7 00")).toBe("00");
    expect(await slot("00 00 02 01")).toBe("00 06 00 09 00 D7 00");
    expect(await slot("00 00 02 02")).toBe("00 11 00 16 00 D7 00");
    expect(rig.house.knobs.counts()).toMatchObject({ lostTimerSlot: 1 });
  });
});
