import { afterEach, describe, expect, test } from "vitest";
import { toHex } from "./hex.ts";
import { createManualHouseClock } from "./manual-clock.ts";
import { createHouse } from "./house.ts";
import { createRig, type Rig } from "./testing/rig.ts";

let rig: Rig;
afterEach(() => rig.close());

const WHO = "15 07 04 00";
const last = (): Rig["house"]["exchanges"][number] | undefined => rig.house.exchanges.at(-1);

describe.each(["enh", "plain"] as const)("with a host at the %s port", (port) => {
  test("a dropped ACK: the command is heard once, nothing answers, the next one is fine", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.dropAck.arm({ target: 0x15 });
    expect((await rig.ask("08 07 04 00")).outcome).toBe("done");
    expect((await rig.ask(WHO)).outcome).toBe("timeout");
    expect(last()).toMatchObject({ outcome: "no-ack", commands: ["71 15 07 04 00"], acks: [] });
    expect((await rig.ask(WHO)).outcome).toBe("done");
    expect(rig.house.knobs.counts()).toMatchObject({ dropAck: 1 });
  });

  test("a dropped ACK can hide a write that was carried out", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.dropAck.arm({ carryOut: true });
    expect((await rig.ask("15 B5 24 0A 02 01 03 00 22 00 00 00 A8 41")).outcome).toBe("timeout");
    expect(await rig.answer("15 B5 24 06 02 00 03 00 22 00")).toBe("08 03 03 22 00 00 00 A8 41");
  });

  test.each([
    [1, "done", ["FF", "00"]],
    [2, "nack", ["FF", "FF"]],
  ])("refused %i times: repeated once as a whole, then %s", async (times, outcome, acks) => {
    rig = await createRig({ port });
    rig.house.knobs.faults.nack.arm({ times });
    expect((await rig.ask(WHO)).outcome).toBe(outcome);
    expect(last()).toMatchObject({ outcome, acks, commands: ["71 15 07 04 00", "71 15 07 04 00"] });
    expect(rig.house.knobs.faults.nack).toMatchObject({ left: 0, hits: times });
  });

  test.each([
    [1, "done"],
    [2, "nack"],
  ])("a command that arrives spoilt %i times is refused, with a true echo: %s", async (times, outcome) => {
    rig = await createRig({ port });
    rig.house.knobs.faults.commandCrc.arm({ times });
    expect((await rig.ask(WHO)).outcome).toBe(outcome);
    expect(last()?.commands).toHaveLength(2);
    expect(rig.house.knobs.counts()).toMatchObject({ commandCrc: times });
  });

  // @proves ebus.house.response-repeat
  test.each([
    [1, "done", "done"],
    [2, "crc", "response-refused"],
  ])("a response spoilt %i times is repeated once on NACK: %s", async (times, outcome, logged) => {
    rig = await createRig({ port });
    rig.house.knobs.faults.responseCrc.arm({ times });
    expect((await rig.ask(WHO)).outcome).toBe(outcome);
    expect(last()).toMatchObject({ outcome: logged, acks: ["00"] });
    expect(last()?.responses).toHaveLength(2);
    expect(last()?.commands).toHaveLength(1);
  });

  test("a silent device is silent until it is plugged in again", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.silence.arm({ target: 0x15 });
    for (let count = 0; count < 3; count += 1) expect((await rig.ask(WHO)).outcome).toBe("timeout");
    expect((await rig.ask("08 07 04 00")).outcome).toBe("done");
    rig.house.knobs.faults.silence.disarm();
    expect((await rig.ask(WHO)).outcome).toBe("done");
    expect(rig.house.knobs.counts()).toMatchObject({ silence: 3 });
  });

  test("an answer that comes late comes all the same, into whatever is on the wire then", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.lateAnswer.arm({ ms: 100 });
    expect((await rig.ask(WHO)).outcome).toBe("timeout");
    const mark = rig.client.symbols.length;
    rig.clock.advance(300);
    const late = toHex(rig.client.symbols.slice(mark))
      .replaceAll(/(AA )*AA/g, "")
      .trim();
    expect(late).toBe("00 0A B5 42 41 53 56 32 05 07 17 04 71");
    expect((await rig.ask("08 07 04 00")).outcome).toBe("done");
  });

  test("an ACK in time with a late response", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.lateAnswer.arm({ ms: 100, part: "response" });
    expect((await rig.ask(WHO)).outcome).toBe("timeout");
    rig.clock.advance(300);
    expect(rig.house.exchanges[0]).toMatchObject({ outcome: "no-response", acks: ["00"] });
  });

  test.each([0x10, 0x03] as const)("the bus is stolen by %i, who has something to say", async (by) => {
    rig = await createRig({ port });
    rig.house.knobs.faults.theft.arm({ by, times: 2 });
    for (let count = 0; count < 2; count += 1) {
      expect(await rig.ask(WHO)).toMatchObject({ outcome: "lost", winner: by });
      const before = rig.house.exchanges.length;
      await rig.clock.run(() => rig.house.exchanges.length > before, { stepMs: 5 });
      expect(last()).toMatchObject({ source: by, outcome: by === 0x10 ? "done" : "no-ack" });
    }
    expect((await rig.ask(WHO)).outcome).toBe("done");
    expect(rig.house.knobs.counts()).toMatchObject({ theft: 2 });
  });

  test("a flipped symbol: the sender sees another echo", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.flipSymbol.arm();
    expect((await rig.ask(WHO)).outcome).toBe("echo");
    rig.clock.advance(400);
    expect(last()?.outcome).toBe("fragment");
    expect((await rig.ask(WHO)).outcome).toBe("done");
  });

  test("noise in place of an ACK, between ACK and response, and on an idle bus", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.noise.arm({ at: "ack", bytes: [0x55] });
    expect((await rig.ask(WHO)).outcome).toBe("protocol");
    rig.house.knobs.faults.noise.arm({ at: "response", bytes: [0x01] });
    expect((await rig.ask(WHO)).outcome).not.toBe("done");
    rig.clock.advance(500);
    rig.house.knobs.faults.noise.arm({ at: "idle", bytes: [0x55, 0xa9, 0x07], times: 3 });
    rig.clock.advance(500);
    const noises = rig.house.exchanges.filter(({ origin }) => origin === "line").map(({ wire }) => wire);
    expect(noises.slice(-3)).toEqual(["55 A9 07", "55 A9 07", "55 A9 07"]);
    expect((await rig.ask(WHO)).outcome).toBe("done");
    expect(rig.house.knobs.counts()).toMatchObject({ noise: 5 });
  });

  test("bytes can be put on the wire from nowhere", async () => {
    rig = await createRig({ port });
    rig.clock.advance(41);
    rig.house.knobs.inject([0x31, 0xfe, 0x07, 0xfe, 0x00, 0x35]);
    rig.clock.advance(100);
    expect(rig.house.exchanges[0]).toMatchObject({ origin: "injected", outcome: "done", source: 0x31 });
  });

  test("a ghost: two strangers collide and leave an address behind that nobody has", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.ghost.arm();
    rig.clock.advance(200);
    expect(rig.house.exchanges).toMatchObject([{ outcome: "fragment", wire: "71", source: 0x71 }]);
  });

  test("a dead line carries nothing, not even SYN, until it is mended", async () => {
    rig = await createRig({ port });
    rig.clock.advance(100);
    rig.house.knobs.faults.deadLine.arm();
    const mark = rig.raw.length;
    rig.write(port === "enh" ? [0xc9, 0xb1] : [0x71]);
    rig.clock.advance(2_000);
    expect(rig.raw.length).toBe(mark);
    expect(rig.house.knobs.counts()["deadLine"]).toBeGreaterThan(10);
    rig.write(port === "enh" ? [0xca, 0xaa] : []);
    rig.house.knobs.faults.deadLine.disarm();
    rig.clock.advance(50);
    expect((await rig.ask(WHO)).outcome).toBe("done");
  });

  test("a line stuck on SYN overwrites everything", async () => {
    rig = await createRig({ port });
    rig.house.knobs.faults.stuckSyn.arm();
    rig.write(port === "enh" ? [0xc9, 0xb1] : [0x71]);
    rig.clock.advance(200);
    expect(new Set(rig.client.symbols)).toEqual(new Set([0xaa]));
    expect(rig.client.symbols.length).toBeGreaterThan(20);
    rig.write(port === "enh" ? [0xca, 0xaa] : []);
    rig.house.knobs.faults.stuckSyn.disarm();
    rig.clock.advance(400);
    expect((await rig.ask(WHO)).outcome).toBe("done");
  });

  test("sixty milliseconds of latency a symbol: every read still completes", async () => {
    rig = await createRig({ port, knobs: { latencyMs: 60 } });
    for (const target of ["15", "08", "26"]) expect((await rig.ask(`${target} 07 04 00`)).outcome).toBe("done");
  });

  test("a zone is absent for as many polls as told", async () => {
    rig = await createRig({ port });
    const poll = (zone: string): Promise<string> => rig.answer(`15 B5 24 06 02 00 03 ${zone} 1C 00`);
    rig.house.knobs.faults.zoneVanish.arm({ zone: 1, times: 2 });
    expect(await poll("00")).toBe("05 01 03 1C 00 00");
    expect(await poll("01")).toBe("05 01 03 1C 00 FF");
    expect(await poll("01")).toBe("05 01 03 1C 00 FF");
    expect(await poll("01")).toBe("05 01 03 1C 00 01");
  });

  test("the functional module's configuration", async () => {
    rig = await createRig({ port });
    rig.house.knobs.turn({ fm5Config: 3 });
    expect(await rig.answer("15 B5 24 06 02 00 00 00 2F 00")).toBe("06 03 00 2F 00 03 00");
  });
});

describe("the enhanced adapter", () => {
  test("a reset in the middle: RESETTED, the START and the hold on the bus are gone", async () => {
    rig = await createRig();
    rig.write([0xc9, 0xb1]);
    rig.clock.advance(42);
    rig.house.knobs.resetAdapter();
    rig.clock.advance(100);
    expect(rig.client.messages).toEqual(["0:1"]);
    expect(toHex(rig.raw)).not.toContain("C9 B1");
    expect((await rig.ask(WHO)).outcome).toBe("done");
    rig.write([0xcc, 0x86]);
    expect(rig.client.messages.slice(-2)).toEqual(["3:1", "3:1"]); // power on, one restart
  });

  test("half a pair, then silence, then everything as before", async () => {
    rig = await createRig();
    rig.house.knobs.faults.halfPair.arm({ silentMs: 300 });
    rig.clock.advance(300);
    expect(toHex(rig.raw)).toBe("C6");
    rig.clock.advance(120);
    expect(toHex(rig.raw)).toMatch(/^C6( C6 AA)+$/);
    expect(rig.house.knobs.counts()).toMatchObject({ halfPair: 1 });
  });

  test.each([
    [{}, "EC 80"],
    [{ about: "ebus", code: 1 }, "EC 81"],
    [{ about: "host", code: 1 }, "F0 81"],
  ] as const)("an error of its own: %o", async (error, bytes) => {
    rig = await createRig();
    rig.house.knobs.adapterError(error);
    expect(toHex(rig.raw)).toBe(bytes);
    expect(rig.house.knobs.counts()).toMatchObject({ adapterError: 1 });
  });
});

describe("faults of the house's own telegrams", () => {
  test("aimed at the house they spoil its commands on the wire, and its initiators repeat them", async () => {
    rig = await createRig({ knobs: { traffic: true } });
    rig.house.knobs.faults.commandCrc.arm({ from: "house" });
    rig.clock.advance(800);
    expect(rig.house.exchanges[0]).toMatchObject({ source: 0x10, acks: ["FF", "00"], outcome: "done" });
    expect(rig.house.exchanges[0]?.wire).toMatch(/^10 08 B5 11 01 01 76 FF 10 08 B5 11 01 01 89 00 /);
  });

  test("a response of the boiler to the regulator is spoilt and repeated", async () => {
    rig = await createRig({ knobs: { traffic: true } });
    rig.house.knobs.faults.responseCrc.arm({ from: "house", times: 2 });
    rig.clock.advance(1_000);
    expect(rig.house.exchanges[0]).toMatchObject({ outcome: "response-refused", finalAcks: ["FF", "FF"] });
  });

  test("unless told so, faults leave them alone", async () => {
    rig = await createRig({ knobs: { traffic: true } });
    rig.house.knobs.faults.nack.arm({ times: 2 });
    rig.clock.advance(2_000);
    expect(rig.house.exchanges.map(({ outcome }) => outcome)).not.toContain("nack");
    expect(rig.house.knobs.faults.nack.left).toBe(2);
  });
});

describe("turning knobs", () => {
  // @proves ebus.house.ack-delay
  test.each([
    [undefined, 8],
    [5, 5],
    [30, 30],
  ])("a target's ACK takes the time that is set: %s", async (ackMs, expected) => {
    rig = await createRig(ackMs === undefined ? {} : { knobs: { ackMs } });
    const times: number[] = [];
    rig.house.bus.watch((_, at) => times.push(at));
    const mark = rig.client.symbols.length;
    await rig.ask(WHO);
    const ack = rig.client.symbols.indexOf(0x19, mark) + 1;
    expect((times[ack] ?? 0) - (times[ack - 1] ?? 0)).toBeCloseTo(expected, 6);
  });

  test("what does not exist or does not fit is refused by name", async () => {
    rig = await createRig();
    const { knobs } = rig.house;
    expect(() => knobs.turn({ ackMs: 4 })).toThrow(/ackMs.*5 to 30/);
    expect(() => knobs.turn({ ackMs: 31 })).toThrow(/ackMs/);
    expect(() => knobs.turn({ fm5Config: 12 })).toThrow(/fm5Config/);
    expect(() => knobs.turn(JSON.parse('{"latency": 60}') as object)).toThrow(/no knob latency/);
    expect(() => knobs.turn(JSON.parse('{"faults": {"nacks": {}}}') as object)).toThrow(/no fault nacks/);
    expect(() => knobs.faults.nack.arm({ times: 0 })).toThrow(/nack.*times/);
    expect(() => createHouse({ timing: { synMs: -1 } })).toThrow(/synMs/);
    expect(knobs.settings.ackMs).toBe(8);
  });

  test("they can be given with the house, and reset puts them back", async () => {
    rig = await createRig({ knobs: { latencyMs: 60, faults: { nack: { times: 2 } } } });
    const { knobs } = rig.house;
    expect([knobs.settings.latencyMs, knobs.faults.nack.left]).toEqual([60, 2]);
    knobs.reset();
    expect([knobs.settings.latencyMs, knobs.faults.nack.left]).toEqual([0, 0]);
  });

  test("one house's knobs are its own", async () => {
    rig = await createRig({ knobs: { regulator: "VRC700" } });
    const other = createHouse({ clock: createManualHouseClock() });
    expect(other.knobs.settings.regulator).toBe("BASV2");
  });
});
