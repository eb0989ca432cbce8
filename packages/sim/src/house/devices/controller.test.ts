import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRig, type Rig } from "../testing/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.close());

/** Opcode, group, instance and register to the answer after NN. */
async function read(place: string): Promise<string> {
  const [opcode, group, instance, register] = place.split("/");
  const answer = await rig.answer(`15 B5 24 06 ${opcode} 00 ${group} ${instance} ${register} 00`);
  return answer.slice(3).replaceAll(" ", "");
}

describe("the register image", () => {
  // @proves ebus.house.system-image
  test.each([
    ["01", "020001000000E0C0"],
    ["07", "0300070000"],
    ["0E", "03000E002800"],
    ["14", "0300140000"],
    ["22", "020022000000A8C1"],
    ["26", "020026000000C841"],
    ["2C", "03002C000F021B"],
    ["2F", "03002F000200"],
    ["34", "0300340005031A"],
    ["35", "0300350010002C"],
    ["36", "030036000100"],
    ["39", "010039000000C03F"],
    ["46", "020046000000A042"],
    ["48", "010048000000"],
    ["4B", "01004B000080EE41"],
    ["4E", "01004E00CB000000"],
    ["52", "010052000A010000"],
    ["56", "01005600D6010000"],
    ["57", "010057007A000000"],
    ["58", "0100580000000000"],
    ["59", "0100590001000000"],
    ["73", "0100730000507B41"],
    ["95", "0000950000C0AF40"],
    ["96", "0100960000"],
    ["9D", "00009D00FFFFFF7F"],
  ])("system register %s", async (register, answer) => {
    expect(await read(`02/00/00/${register}`)).toBe(answer);
  });

  // @proves ebus.house.dhw-image
  test("hot water", async () => {
    expect(await read("02/01/00/01")).toBe("030101000100");
    expect(await read("02/01/00/03")).toBe("030103000200");
    expect(await read("02/01/00/04")).toBe("0301040000007442");
    expect(await read("02/01/00/05")).toBe("0101050000C06742");
    expect(await read("02/01/00/09")).toBe("0201090001010F");
    expect(await read("02/01/00/0D")).toBe("03010D0000");
  });

  // @proves ebus.house.circuit-image
  test.each([
    ["00/02", "030202000100"],
    ["00/07", "0102070000000000"],
    ["00/08", "0102080000009041"],
    ["00/0F", "03020F009A99D93F"],
    ["00/10", "0302100000008C42"],
    ["00/12", "030212000000F041"],
    ["00/14", "030214000000A041"],
    ["00/15", "030215000200"],
    ["00/1B", "01021B0000"],
    ["00/1D", "02021D0000"],
    ["00/1E", "01021E000000"],
    ["00/20", "0102200001"],
    ["01/02", "030202000100"],
    ["01/08", "010208000000A741"],
    ["01/0F", "03020F006666C63F"],
    ["02/02", "030202000000"],
    ["02/08", "01020800FFFFFF7F"],
    ["0A/02", "030202000000"],
  ])("circuit register %s", async (place, answer) => {
    expect(await read(`02/02/${place}`)).toBe(answer);
  });

  // @proves ebus.house.zone-image
  test.each([
    ["00/06", "030306000200"],
    ["00/0E", "03030E0000"],
    ["00/0F", "01030F0000004841"],
    ["00/13", "030313000100"],
    ["00/16", "0303160050617274657200"],
    ["00/1C", "01031C0000"],
    ["00/22", "0303220000004041"],
    ["00/28", "0103280000002042"],
    ["01/0F", "01030F0000005A41"],
    ["01/13", "030313000200"],
    ["01/16", "030316004574616A00"],
    ["01/1C", "01031C0001"],
    ["01/22", "0303220000005041"],
    ["01/28", "0103280000001C42"],
    ["02/0F", "01030F00FFFFFF7F"],
    ["02/1C", "01031C00FF"],
    ["02/24", "03032400010113"],
    ["0A/1C", "01031C00FF"],
  ])("zone register %s", async (place, answer) => {
    expect(await read(`02/03/${place}`)).toBe(answer);
  });

  // @proves ebus.house.solar-cylinder-image
  test("solar and cylinders", async () => {
    const values: string[] = [];
    const places = ["04/00/01", "04/00/03", "04/00/07", "04/00/08", "04/00/0B"];
    const cylinders = ["05/00/01", "05/00/02", "05/00/03", "05/00/04", "05/01/04"];
    for (const place of [...places, ...cylinders]) values.push((await read(`02/${place}`)).slice(8));
    expect(values).toEqual([
      "00",
      "00007142",
      "0000C141",
      "00",
      "15090000",
      "00009642",
      "00004041",
      "0000A040",
      "00006942",
      "FFFFFF7F",
    ]);
  });

  // @proves ebus.house.remote-image
  test.each([
    ["09/01", ["01", "15", "080500", "00002042", "00004841", "07", "1504", "02"]],
    ["0A/01", ["01", "35", "021100", "00001C42", "00005A41", "0A", "8201", "02"]],
    ["0A/02", ["FF", "FF", "FFFFFF", "FFFFFF7F", "FFFFFF7F", "FF", "0080", "FF"]],
    ["0C/05", ["FF", "FF", "FFFFFF", "FFFFFF7F", "FFFFFF7F", "FF", "0080", "FF"]],
  ])("remote slot %s", async (slot, expected) => {
    const values: string[] = [];
    for (const register of ["01", "02", "04", "07", "0F", "1F", "23", "25"]) {
      values.push((await read(`06/${slot}/${register}`)).slice(8));
    }
    expect(values).toEqual(expected);
  });

  test("the slot of the functional module, and the thermostat's remote control address", async () => {
    expect(await read("06/0C/01/01")).toBe("010C010001");
    expect(await read("06/0C/01/02")).toBe("010C020026");
    expect(await read("06/0C/01/04")).toBe("010C0400010000");
    expect(await read("06/0A/01/19")).toBe("010A190001");
  });

  test("a register that sleeps answers empty, one that does not exist 00, one beyond any table too", async () => {
    expect(await rig.answer("15 B5 24 06 02 00 00 00 16 00")).toBe("00");
    expect(await read("02/00/00/05")).toBe("00");
    expect(await read("02/03/0B/1C")).toBe("00");
    expect(await rig.answer("15 B5 24 06 02 00 00 00 73 01")).toBe("01 00");
    expect(await rig.answer("15 B5 24 01 0B")).toBe("01 00");
  });

  test("the directory ends in NaN, and limits are told by type", async () => {
    expect(await rig.answer("15 B5 24 03 00 00 00")).toBe("04 00 00 40 40");
    expect(await rig.answer("15 B5 24 03 00 10 00")).toBe("04 FF FF FF 7F");
    expect(await rig.answer("15 B5 24 03 01 03 22")).toBe("10 0F 03 22 00 00 00 70 41 00 00 F0 41 00 00 00 3F");
    expect(await rig.answer("15 B5 24 03 01 02 02")).toBe("0A 09 02 02 00 00 00 04 00 01 00");
    expect(await rig.answer("15 B5 24 03 01 03 0E")).toBe("07 06 03 0E 00 00 06 01");
    expect(await rig.answer("15 B5 24 03 01 03 16")).toBe("01 00");
  });

  test("timers by B524 are for the older controller: this one answers empty", async () => {
    expect(await rig.answer("15 B5 24 05 03 03 00 02 00")).toBe("00");
  });
});

describe("writing registers", () => {
  test("the contract's write of 21.0 degrees, with its checksums, and its read-back", async () => {
    const written = await rig.ask("15 B5 24 0A 02 01 03 00 22 00 00 00 A8 41");
    expect(written).toMatchObject({ outcome: "done", commandCrc: 0xb6, responseCrc: 0x80 });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["04 03 03 22 00"]);
    const back = await rig.ask("15 B5 24 06 02 00 03 00 22 00");
    expect(back).toMatchObject({ commandCrc: 0x29, responseCrc: 0x78 });
    expect(rig.house.exchanges.at(-1)?.responses).toEqual(["08 03 03 22 00 00 00 A8 41"]);
  });

  // @proves ebus.house.setpoint-ignored
  test.each([
    ["06", "01 00", "automatic mode"],
    ["06", "00 00", "mode off"],
    ["0E", "03", "holiday"],
  ])("a desired temperature is acknowledged and ignored when %s is %s, %s", async (register, value) => {
    const length = value.length > 2 ? "08" : "07";
    await rig.answer(`15 B5 24 ${length} 02 01 03 00 ${register} 00 ${value}`);
    expect(await rig.answer("15 B5 24 0A 02 01 03 00 22 00 00 00 A8 41")).toBe("04 03 03 22 00");
    expect(await read("02/03/00/22")).toBe("0303220000004041");
  });

  test("what nobody may write, what does not fit and what is out of range stays as it is", async () => {
    expect(await rig.answer("15 B5 24 0A 02 01 00 00 73 00 00 00 A8 41")).toBe("03 02 00 03");
    expect(await rig.answer("15 B5 24 08 02 01 03 00 22 00 A8 41")).toBe("03 02 00 03");
    expect(await rig.answer("15 B5 24 0A 02 01 03 00 22 00 00 00 C8 42")).toBe("03 02 00 03");
    expect(await read("02/00/00/73")).toBe("0100730000507B41");
    expect(await read("02/03/00/22")).toBe("0303220000004041");
  });

  test("a name is stored with its NUL", async () => {
    expect(await rig.answer("15 B5 24 0A 02 01 03 01 16 00 42 61 64 00")).toBe("04 03 03 16 00");
    expect(await read("02/03/01/16")).toBe("0303160042616400");
  });

  test("writing the duration starts a quick veto", async () => {
    await rig.answer("15 B5 24 0A 02 01 03 00 26 00 00 00 00 40"); // two hours
    expect(await read("02/03/00/0E")).toBe("03030E0002");
    expect((await read("02/03/00/1E")).slice(8, 12)).toBe("1200"); // captured at 16:00
    expect(await read("02/03/00/24")).toBe("0303240005031A");
  });
});

describe("other commands", () => {
  test("B504 tells date, time and outdoor temperature", async () => {
    expect(await rig.answer("15 B5 04 01 00")).toBe("0A 01 44 00 16 05 03 04 26 B5 0F");
  });

  test("energy answers repeat the question: gas for heating, this year, 470 kWh", async () => {
    expect(await rig.answer("15 B5 16 08 10 03 FF FF 04 03 00 34")).toBe("0B 03 00 FF 04 03 00 34 00 7E E5 48");
    expect(await rig.answer("15 B5 16 08 10 01 FF FF 01 04 21 32")).toBe("0B 01 00 FF 01 04 21 32 00 00 00 00");
  });

  // @proves ebus.house.unknown-command
  test("a command it does not know is answered with one byte 00, or refused in that mode", async () => {
    expect(await rig.answer("15 B5 77 00")).toBe("01 00");
    rig.house.knobs.turn({ unknownCommand: "nack" });
    expect((await rig.ask("15 B5 77 00")).outcome).toBe("nack");
    expect(rig.house.exchanges.at(-1)).toMatchObject({ acks: ["FF", "FF"], outcome: "nack" });
  });

  // @proves ebus.house.unknown-address
  test("where no device lives nothing answers", async () => {
    expect(await rig.ask("50 07 04 00", 0x31)).toMatchObject({ outcome: "timeout", commandCrc: 0x73 });
    expect(rig.house.exchanges.at(-1)).toMatchObject({ outcome: "no-ack", wire: "31 50 07 04 00 73" });
  });

  test("a command to an initiator address is acknowledged and no more", async () => {
    expect((await rig.ask("10 07 FF 00")).outcome).toBe("done");
    expect(rig.house.exchanges.at(-1)).toMatchObject({ acks: ["00"], responses: [] });
  });

  test("an inquiry of existence brings a sign of life from each initiator", async () => {
    expect(await rig.ask("FE 07 FE 00", 0x31)).toMatchObject({ outcome: "done", commandCrc: 0x35 });
    rig.clock.advance(1_000);
    const whole = rig.house.exchanges.filter(({ outcome }) => outcome === "done").slice(1);
    // All three want to answer at once; what their addresses make together is a fragment of nobody's.
    expect(whole.map(({ commands }) => commands[0])).toEqual(["10 FE 07 FF 00", "F1 FE 07 FF 00", "03 FE 07 FF 00"]);
  });
});

describe("as a VRC700", () => {
  beforeEach(() => rig.house.knobs.turn({ regulator: "VRC700" }));

  test("it says 70000, keeps timers by B524 and knows no B555", async () => {
    expect(await rig.answer("15 07 04 00")).toBe("0A B5 37 30 30 30 30 06 14 69 03");
    expect(await rig.answer("15 B5 55 03 A3 00 00")).toBe("01 00");
    expect(await rig.answer("15 B5 24 05 03 03 00 02 00")).toBe("06 21 84 90 90 90 90");
    expect(await rig.answer("15 B5 24 0B 04 03 00 02 00 24 48 60 8A 90 90")).toBe("00");
    expect(await rig.answer("15 B5 24 05 03 03 00 02 00")).toBe("06 24 48 60 8A 90 90");
    expect(await rig.answer("15 B5 24 05 03 03 00 02 01")).toBe("06 21 84 90 90 90 90");
  });
});
