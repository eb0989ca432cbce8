import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createManualHouseClock } from "../house/manual-clock.ts";
import { connectRaw, type RawClient } from "../testing/raw-client.ts";
import { withCrc } from "./crc16.ts";
import { createVirtualFarm, type FarmAddresses, type VirtualFarm } from "./virtual-farm.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const rtu = (hex: string): Uint8Array => withCrc(bytes(hex));
const asHex = (latin1: string): string => Buffer.from(latin1, "latin1").toString("hex");

let farm: VirtualFarm;
let at: FarmAddresses;
const clients: RawClient[] = [];

beforeEach(async () => {
  farm = createVirtualFarm();
  at = await farm.start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await farm.stop();
});

async function open(name: "shed" | "greenhouse" | "gate"): Promise<RawClient> {
  const client = await connectRaw(at[name]);
  clients.push(client);
  return client;
}

/** Sends one request and gives what came back, which has to be this long. */
async function ask(client: RawClient, request: Uint8Array, length: number): Promise<string> {
  const before = client.text.length;
  client.send(request);
  return asHex((await client.received(before + length)).slice(before));
}

describe("the virtual farm on real sockets", () => {
  // @proves farm.double.modbus-framing
  test("TCP and RTU gateways answer for their units", async () => {
    const shed = await open("shed");
    expect(await ask(shed, bytes("00 01 00 00 00 06 01 05 00 00 FF 00"), 12)).toBe("00010000000601050000ff00");
    expect(await ask(shed, bytes("00 02 00 00 00 06 01 01 00 00 00 08"), 10)).toBe("00020000000401010101");
    expect(farm.isClosed("shed", 1, 1)).toBe(true);
    const greenhouse = await open("greenhouse");
    expect(await ask(greenhouse, rtu("06 05 00 03 FF 00"), 8)).toBe("06050003ff007d8d");
    expect(await ask(greenhouse, rtu("06 01 00 01 00 06"), 6)).toMatch(/^06010104/);
    expect(farm.exchanges.map(({ gateway, unit, code }) => `${gateway} ${unit} ${code}`)).toEqual([
      "shed 1 5",
      "shed 1 1",
      "greenhouse 6 5",
      "greenhouse 6 1",
    ]);
  });

  // @proves farm.double.modbus-faults
  test("a stuck coil echoes and stays, and the read-back disagrees", async () => {
    farm.unit("shed", 1, { stuck: [1] });
    const shed = await open("shed");
    expect(await ask(shed, bytes("00 01 00 00 00 06 01 05 00 00 FF 00"), 12)).toBe("00010000000601050000ff00");
    expect(await ask(shed, bytes("00 02 00 00 00 06 01 01 00 00 00 08"), 10)).toBe("00020000000401010100");
    farm.reset();
    farm.unit("shed", 1, { lyingReadBack: true });
    expect(await ask(shed, bytes("00 03 00 00 00 06 01 01 00 00 00 03"), 10)).toBe("00030000000401010107");
  });

  // @proves farm.double.modbus-faults
  test("a dead unit is never heard of, or the gateway says 0B; its neighbour answers after it", async () => {
    farm.unit("shed", 2, { dead: true });
    farm.gateway("shed", { waitMs: 1 });
    const shed = await open("shed");
    shed.send(bytes("00 01 00 00 00 06 02 04 00 00 00 01"));
    expect((await ask(shed, bytes("00 02 00 00 00 06 03 04 00 00 00 01"), 11)).slice(0, 18)).toBe("000200000005030402");
    expect(farm.exchanges[0]).toMatchObject({ unit: 2, reached: false, answer: undefined });
    farm.gateway("shed", { deadUnits: "exception" });
    expect(await ask(shed, bytes("00 03 00 00 00 06 02 04 00 00 00 01"), 9)).toBe("00030000000302840b");
  });

  // @proves farm.double.modbus-faults
  test("garbage, foreign frames, refusals and silence are told apart", async () => {
    const greenhouse = await open("greenhouse");
    farm.unit("greenhouse", 6, { foreign: 1 });
    expect(await ask(greenhouse, rtu("06 03 00 00 00 01"), 7)).not.toBe(
      Buffer.from(rtu("06 03 02 00 01")).toString("hex"),
    );
    expect(await ask(greenhouse, rtu("06 03 00 00 00 01"), 7)).toBe(Buffer.from(rtu("06 03 02 00 01")).toString("hex"));
    farm.unit("greenhouse", 6, { refuse: 6 });
    expect(await ask(greenhouse, rtu("06 05 00 01 FF 00"), 5)).toMatch(/^068506/);
    expect(farm.isClosed("greenhouse", 6, 1)).toBe(false);
    farm.unit("greenhouse", 6, { refuse: 0, silent: true });
    greenhouse.send(rtu("06 05 00 01 FF 00"));
    await farm.waitFor(({ exchanges }) => exchanges.length === 4);
    expect(farm.isClosed("greenhouse", 6, 1)).toBe(true);
    expect(farm.exchanges.at(-1)?.answer).toBeUndefined();
    farm.reset();
    farm.unit("greenhouse", 6, { garbage: 1 });
    expect(await ask(greenhouse, rtu("06 03 00 00 00 01"), 7)).not.toMatch(/^060302/);
  });

  // @proves farm.double.modbus-faults
  test("answers arrive byte by byte, or behind one that nobody waits for", async () => {
    const shed = await open("shed");
    farm.gateway("shed", { split: true });
    expect(await ask(shed, bytes("00 01 00 00 00 06 01 01 00 00 00 08"), 10)).toBe("00010000000401010100");
    farm.gateway("shed", { split: false, merged: true });
    expect(await ask(shed, bytes("00 02 00 00 00 06 01 01 00 00 00 08"), 20)).toBe(
      "0001000000040101010000020000000401010100",
    );
  });

  // @proves farm.double.modbus-faults
  test("over RTU the answer in front is one of another unit or function, for nobody could tell any other apart", async () => {
    const greenhouse = await open("greenhouse");
    farm.gateway("greenhouse", { merged: true });
    const on = "06050001ff00dc4d";
    const coils = "06010102d13d";
    expect(await ask(greenhouse, rtu("06 05 00 01 FF 00"), 8)).toBe(on);
    expect(await ask(greenhouse, rtu("06 05 00 01 FF 00"), 8)).toBe(on);
    expect(await ask(greenhouse, rtu("06 01 00 00 00 08"), 14)).toBe(on + coils);
    expect(await ask(greenhouse, rtu("06 01 00 00 00 08"), 14)).toBe(on + coils);
    farm.gateway("greenhouse", { merged: false, doubled: true });
    expect(await ask(greenhouse, rtu("06 01 00 00 00 08"), 12)).toBe(coils + coils);
  });

  // @proves farm.double.modbus-models
  test("the factory board toggles on its eight bytes and never says a word", async () => {
    const gate = await open("gate");
    gate.send(bytes("06 05 00 01 55 00 A2 ED"));
    await farm.waitFor(({ exchanges }) => exchanges.length === 1);
    expect(farm.isClosed("gate", 6, 1)).toBe(true);
    gate.send(bytes("06 05 00 FF 00 00 FC 4D"));
    await farm.waitFor(({ exchanges }) => exchanges.length === 2);
    expect(farm.isClosed("gate", 6, 1)).toBe(false);
    expect(gate.text).toBe("");
    expect(farm.exchanges.every(({ answer }) => answer === undefined)).toBe(true);
  });

  test("rubbish is counted and harms nobody; a cut leaves the relays as they are", async () => {
    const shed = await open("shed");
    shed.send(bytes("DE AD BE EF DE AD BE EF DE AD BE EF"));
    const other = await open("shed");
    await ask(other, bytes("00 01 00 00 00 06 01 05 00 01 FF 00"), 12);
    expect(farm.rejected.shed).toBeGreaterThan(0);
    farm.cut("shed");
    await other.closed();
    expect(farm.isClosed("shed", 1, 2)).toBe(true);
    farm.powerCycle("shed");
    expect(farm.isClosed("shed", 1, 2)).toBe(false);
  });

  test("a knob that there is not, a wrong kind of value and a unit that is not there are errors", () => {
    // @ts-expect-error no such knob
    expect(() => farm.unit("shed", 1, { asleep: true })).toThrow("no knob asleep");
    // @ts-expect-error not a number
    expect(() => farm.unit("shed", 1, { slow: "very" })).toThrow("takes a number");
    expect(() => farm.unit("shed", 9, { dead: true })).toThrow("no unit 9; it has 1, 2, 3, 5");
  });
});

describe("the virtual farm by its own clock", () => {
  // @proves farm.double.clock farm.double.modbus-models
  test("water runs when the pump runs and the valve has opened, and the bed gets wetter", async () => {
    const clock = createManualHouseClock();
    const timed = createVirtualFarm({ clock });
    const { shed } = await timed.start();
    const client = await connectRaw(shed);
    clients.push(client);
    await ask(client, bytes("00 01 00 00 00 06 01 05 00 00 FF 00"), 12);
    clock.advance(60_000);
    expect(timed.state.flowLitresPerMinute).toBe(0);
    const dry = timed.state.moistureNorth;
    const south = timed.state.moistureSouth;
    await ask(client, bytes("00 02 00 00 00 06 01 05 00 01 FF 00"), 12);
    clock.advance(4_000);
    expect(timed.state.flowLitresPerMinute).toBeCloseTo(10);
    clock.advance(3_600_000);
    expect(timed.state.flowLitresPerMinute).toBeCloseTo(20);
    expect(timed.state.moistureNorth).toBeGreaterThan(dry + 5);
    expect(timed.state.moistureSouth).toBeLessThan(south);
    expect(timed.state.litres).toBeGreaterThan(1_100);
    await timed.stop();
  });

  test("a day's sleep is caught up at once, and nothing leaves its bounds", () => {
    const clock = createManualHouseClock();
    const timed = createVirtualFarm({ clock });
    clock.advance(30 * 86_400_000);
    const { airC, humidity, moistureNorth, ph, ec } = timed.state;
    expect(airC).toBeGreaterThan(-10);
    expect(airC).toBeLessThan(45);
    expect(humidity).toBeGreaterThan(10);
    expect(moistureNorth).toBeGreaterThanOrEqual(4);
    expect(ph).toBeCloseTo(6.4, 0);
    expect(ec).toBeCloseTo(1.4, 0);
  });
});
