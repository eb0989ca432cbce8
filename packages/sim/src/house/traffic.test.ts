import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CAPTURE_MOMENT } from "./manual-clock.ts";
import { createRig, type Rig } from "./testing/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await createRig({ knobs: { traffic: true } });
});
afterEach(() => rig.close());

/** Seconds after the start at which telegrams that begin like this left, to the nearest half. */
function times(command: string): number[] {
  return rig.house.exchanges
    .filter(({ commands: [first] }) => first?.startsWith(command) === true)
    .map(({ startedAt }) => Math.round((startedAt - CAPTURE_MOMENT) / 500) / 2);
}

const steps = (list: readonly number[]): number[] => list.slice(1).map((time, index) => time - (list[index] ?? 0));

describe("the cyclic traffic", () => {
  // @proves ebus.house.cyclic-traffic
  test("each telegram at its interval", () => {
    rig.clock.advance(610_000);
    for (const [command, everySeconds] of [
      ["10 FE 07 00 09", 60],
      ["10 FE B5 16 08 00", 60],
      ["10 FE B5 16 03 01", 60],
      ["10 08 B5 11 01 01", 10],
      ["10 08 B5 10 09", 10],
      ["10 08 B5 11 01 00", 30],
      ["10 08 B5 11 01 02", 30],
      ["10 26 B5 23 01 06", 30],
      ["10 26 B5 23 01 07", 30],
      ["03 64 B5 12 02 02 FE", 60],
      ["10 08 B5 04 01 00", 300],
      ["10 FE B5 16 0B 03 00 FF 04 03 00 34", 300],
    ] as const) {
      const seen = times(command);
      expect(seen.length, command).toBeGreaterThanOrEqual(2);
      // A telegram may wait for the bus, so it can be a little late; half a second is the grain here.
      for (const step of steps(seen)) expect(Math.abs(step - everySeconds), command).toBeLessThanOrEqual(0.5);
    }
  });

  test("all that is answered is answered to the end; 64 is nobody's address", () => {
    rig.clock.advance(610_000);
    const unfinished = rig.house.exchanges.filter(({ outcome }) => outcome !== "done");
    expect(new Set(unfinished.map(({ target, outcome }) => `${target} ${outcome}`))).toEqual(new Set(["100 no-ack"]));
    expect(rig.house.droppedTelegrams).toBe(0);
  });

  test("date, time and outdoor temperature in the captured forms", () => {
    rig.clock.advance(5_000);
    const commands = rig.house.exchanges.map(({ commands: [first] }) => first);
    expect(commands).toContain("10 FE 07 00 09 B5 0F 44 00 16 05 03 04 26");
    expect(commands).toContain("10 FE B5 16 08 00 44 00 16 05 03 04 26");
    expect(commands).toContain("10 FE B5 16 03 01 B5 0F");
    expect(commands).toContain("10 08 B5 10 09 00 00 00 FF FF FF 01 00 00");
    expect(rig.house.exchanges.find(({ commands: [first] }) => first === "10 08 B5 11 01 01")?.wire).toBe(
      "10 08 B5 11 01 01 89 00 09 31 30 00 80 30 FF 00 01 FF 23 00",
    );
  });

  test("the cloud gateway rewrites a day's program as it stands", async () => {
    rig.clock.advance(11 * 60_000);
    const written = rig.house.exchanges.find(
      ({ source, commands: [first] }) => source === 0xf1 && first?.includes("A6"),
    );
    expect(written).toMatchObject({
      commands: ["F1 15 B5 55 0C A6 00 00 00 00 01 00 00 18 00 E1 00"],
      responses: ["01 00"],
      outcome: "done",
    });
  });

  test("it stops and goes on with its knob", () => {
    rig.house.knobs.turn({ traffic: false });
    rig.clock.advance(60_000);
    expect(rig.house.exchanges).toHaveLength(0);
    rig.house.knobs.turn({ traffic: true });
    rig.clock.advance(15_000);
    expect(rig.house.exchanges.length).toBeGreaterThan(1);
  });
});
