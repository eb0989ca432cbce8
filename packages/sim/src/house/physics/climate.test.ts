import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readF32, readUnsigned } from "../codecs.ts";
import { createRig, type Rig } from "../testing/rig.ts";

const HOUR = 3_600_000;

let rig: Rig;
beforeEach(async () => {
  rig = await createRig({ physics: "drift" });
});
afterEach(() => rig.close());

async function bytes(place: string): Promise<readonly number[]> {
  const [opcode, group, instance, register] = place.split("/");
  return (await rig.ask(`15 B5 24 06 ${opcode} 00 ${group} ${instance} ${register} 00`)).data.slice(4);
}

const value = async (place: string): Promise<number | null> => readF32(await bytes(place));
const whole = async (place: string): Promise<number> => readUnsigned(await bytes(place));

const setTemperature = (zone: string, bytes: string): Promise<string> =>
  rig.answer(`15 B5 24 0A 02 01 03 ${zone} 22 00 ${bytes}`);

const boiler = async (address: string): Promise<readonly number[]> => (await rig.ask(`08 B5 09 03 0D ${address}`)).data;

/** What truly happened each minute of a while. The bus is off meanwhile: a day has two million SYN. */
async function watch<T>(hours: number, look: (state: Rig["house"]["state"]) => T): Promise<T[]> {
  const seen: T[] = [];
  await rig.house.stop();
  for (let minute = 0; minute < hours * 60; minute += 1) {
    rig.clock.advance(60_000);
    seen.push(look(rig.house.state));
  }
  await rig.house.start();
  return seen;
}

/** Lets minutes pass until something is so. */
async function passUntil(holds: (state: Rig["house"]["state"]) => boolean, hours: number): Promise<void> {
  await rig.house.stop();
  for (let minute = 0; minute < hours * 60 && !holds(rig.house.state); minute += 1) rig.clock.advance(60_000);
  expect(holds(rig.house.state)).toBe(true);
  await rig.house.start();
}

describe("a house that lives", () => {
  test("begins with what was captured", async () => {
    expect(await value("02/00/00/73")).toBe(15.70703125);
    expect(await value("02/03/00/0F")).toBe(12.5);
    expect(await value("02/01/00/05")).toBe(57.9375);
  });

  // @proves ebus.house.drift
  test("temperatures change over time, on the bus and in the broadcasts", async () => {
    rig.house.knobs.turn({ traffic: true });
    const before = [await value("02/00/00/73"), await value("02/01/00/05"), await value("02/02/00/08")];
    rig.clock.advance(0.25 * HOUR);
    const after = [await value("02/00/00/73"), await value("02/01/00/05"), await value("02/02/00/08")];
    for (const [index, one] of before.entries()) expect(after[index]).not.toBe(one);
    const broadcasts = rig.house.exchanges
      .map(({ commands: [first] }) => first ?? "")
      .filter((command) => command.startsWith("10 FE B5 16 03 01"));
    expect(new Set(broadcasts).size).toBeGreaterThan(10);
  });

  test("nights are colder than days", async () => {
    const temperatures = await watch(48, ({ outdoorC }) => outdoorC);
    const at = (hoursLater: number): number => temperatures[hoursLater * 60 - 1] ?? Number.NaN;
    expect(at(13)).toBeLessThan(at(23) - 3); // five in the morning against three in the afternoon
    expect(Math.min(...temperatures)).toBeGreaterThan(-15);
    expect(Math.max(...temperatures)).toBeLessThan(30);
  });

  test("a room left alone cools towards the outdoor temperature", async () => {
    const rooms = await watch(6, ({ zones }) => zones[1]?.roomC ?? Number.NaN);
    expect(rooms.at(-1)).toBeLessThan(13.625);
    expect(await value("02/03/01/0F")).toBe(Math.round((rooms.at(-1) ?? 0) * 16) / 16);
  });

  test("a warmer wish makes the boiler burn, the flow follow its target and the room warm up", async () => {
    await rig.answer("15 B5 24 08 02 01 01 00 03 00 00 00"); // no hot water, which goes first
    await setTemperature("00", "00 00 A8 41"); // 21
    const seen = await watch(3, ({ burner, modulation, flowC, flowTargetC, zones }) => ({
      burner,
      modulation,
      missing: flowTargetC - flowC,
      room: zones[0]?.roomC ?? 0,
    }));
    expect(seen.some(({ burner }) => burner === "burning")).toBe(true);
    expect(new Set(seen.map(({ modulation }) => Math.round(modulation * 20))).size).toBeGreaterThan(3);
    const settled = seen.slice(60);
    for (const { missing } of settled) expect(Math.abs(missing)).toBeLessThan(12);
    expect(seen.at(-1)?.room).toBeGreaterThan(14);
    expect(await whole("02/00/00/48")).toBe(1);
    expect(await whole("02/02/00/1E")).toBe(1);
    expect(readUnsigned((await boiler("39 00")) as number[]) / 16).toBeGreaterThan(30);
  });

  test("a room reaches what was wished for and stays there", async () => {
    await setTemperature("00", "00 00 90 41"); // 18
    await watch(20, () => undefined);
    const settled = await watch(10, ({ zones }) => zones[0]?.roomC ?? 0);
    expect(Math.min(...settled)).toBeGreaterThan(17);
    expect(Math.max(...settled)).toBeLessThan(19);
  });

  test("flame, gas valve, fan, modulation and state tell one story", async () => {
    await setTemperature("00", "00 00 A8 41");
    await passUntil(({ burner }) => burner === "burning", 1);
    expect(await boiler("05 00")).toEqual([0x0f]);
    expect(await boiler("BB 00")).toEqual([0x0f]);
    expect(readUnsigned((await boiler("83 00")) as number[])).toBeGreaterThan(1_500);
    expect(readUnsigned((await boiler("2E 00")) as number[])).toBeGreaterThanOrEqual(150);
    expect((await boiler("AB 00"))[0]).toBeGreaterThanOrEqual(7);
  });

  test("gas that was burnt is counted", async () => {
    const before = await whole("02/00/00/56");
    await setTemperature("00", "00 00 A8 41");
    await setTemperature("01", "00 00 A8 41");
    await watch(6, () => undefined);
    expect(await whole("02/00/00/56")).toBeGreaterThan(before + 10);
    const { data } = await rig.ask("15 B5 16 08 10 01 FF FF 04 03 65 34"); // 5 March 2026
    expect(readF32(data.slice(7))).toBeGreaterThan(10_000);
  });

  test("hot water is drawn, the cylinder is charged again, the diverter valve shows it", async () => {
    const seen = await watch(36, ({ drawLitresPerMinute, charging, cylinderC }) => ({
      draws: drawLitresPerMinute > 0,
      charging,
      cylinderC,
    }));
    expect(seen.some(({ draws }) => draws)).toBe(true);
    expect(seen.some(({ charging }) => charging)).toBe(true);
    expect(Math.min(...seen.map(({ cylinderC }) => cylinderC))).toBeGreaterThan(35);
    expect(Math.max(...seen.map(({ cylinderC }) => cylinderC))).toBeLessThan(65);
    await passUntil(({ charging }) => charging, 48);
    expect(await boiler("54 00")).toEqual([100]);
    expect(await whole("02/00/00/48")).toBe(3);
  });

  test("a boost charges at once and ends by itself", async () => {
    await rig.answer("15 B5 24 07 02 01 01 00 0D 00 06");
    rig.clock.advance(60_000);
    expect(rig.house.state.charging).toBe(true);
    await passUntil(({ charging }) => !charging, 6);
    expect(await whole("02/01/00/0D")).toBe(0);
    expect(await value("02/01/00/05")).toBeGreaterThan(60);
  });

  test("a quick veto warms the room and runs out", async () => {
    await rig.answer("15 B5 24 0A 02 01 03 00 26 00 00 00 80 3F"); // one hour
    await passUntil(({ zones }) => zones[0]?.heated === true, 1);
    expect(await value("02/03/00/14")).toBe(21);
    await watch(1, () => undefined);
    expect(await whole("02/03/00/0E")).toBe(0);
    expect(await value("02/03/00/14")).toBe(12);
  });

  test("in automatic mode the week program rules", async () => {
    await rig.answer("15 B5 24 08 02 01 03 00 06 00 01 00");
    rig.clock.advance(60_000);
    expect(await value("02/03/00/14")).toBe(22.5);
    await rig.answer("15 B5 55 0C A6 00 00 03 00 01 06 00 0A 00 D7 00"); // Thursday 06:00 to 10:00 only
    rig.clock.advance(60_000);
    expect(await value("02/03/00/14")).toBe(10); // setback
  });

  test("a boiler in error does not burn", async () => {
    rig.house.knobs.turn({ boilerError: 281 });
    await setTemperature("00", "00 00 A8 41");
    expect(await watch(2, ({ burner }) => burner)).not.toContain("burning");
    rig.house.knobs.turn({ boilerError: null });
    expect(await watch(2, ({ burner }) => burner)).toContain("burning");
  });

  test("its clock runs, and it sleeps through a month without trouble", async () => {
    rig.clock.advance(60_000);
    expect((await rig.answer("15 B5 24 06 02 00 00 00 35 00")).slice(15, 20)).toBe("10 01");
    const { house } = rig;
    await house.stop();
    rig.clock.advance(30 * 24 * HOUR);
    await house.start();
    expect(Number.isFinite(house.state.flowC)).toBe(true);
    expect((await rig.answer("15 B5 24 06 02 00 00 00 34 00")).slice(15)).toBe("04 04 1A");
  });
});
