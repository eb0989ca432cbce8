import { expect, test } from "vitest";
import { createHouse } from "./house.ts";
import { carryOutKnobLine, HOUSE_KNOBS, readKnobText } from "./knob-text.ts";

test("every knob of the house can be turned by text", () => {
  const { knobs } = createHouse();
  expect(HOUSE_KNOBS.toSorted()).toEqual([...Object.keys(knobs.settings), ...Object.keys(knobs.faults)].toSorted());
  for (const name of Object.keys(knobs.faults)) {
    knobs.turn(readKnobText(name, "times=3"));
    expect(knobs.faults[name as keyof typeof knobs.faults].left, name).toBe(3);
  }
  for (const [name, value] of Object.entries(knobs.settings)) {
    knobs.turn(readKnobText(name, String(value)));
    expect(knobs.settings[name as keyof typeof knobs.settings], name).toBe(value);
  }
});

test.each([
  ["latencyMs", "60", { latencyMs: 60 }],
  ["traffic", "off", { traffic: false }],
  ["regulator", "VRC700", { regulator: "VRC700" }],
  ["boilerError", "none", { boilerError: null }],
  ["adapterJumpers", "0x0b", { adapterJumpers: 11 }],
  ["nack", "", { faults: { nack: {} } }],
  ["nack", "times=2,target=15", { faults: { nack: { times: 2, target: 0x15 } } }],
  ["silence", "times=endless from=house", { faults: { silence: { times: Number.POSITIVE_INFINITY, from: "house" } } }],
  ["lateAnswer", "ms=90,part=response", { faults: { lateAnswer: { ms: 90, part: "response" } } }],
  ["noise", "bytes=55aa,at=ack", { faults: { noise: { bytes: [0x55, 0xaa], at: "ack" } } }],
  ["theft", "by=03", { faults: { theft: { by: 3 } } }],
  ["ghost", "of=7ff1", { faults: { ghost: { of: [0x7f, 0xf1] } } }],
  ["dropAck", "carryOut=true", { faults: { dropAck: { carryOut: true } } }],
] as const)("%s %s", (name, text, settings) => {
  expect(readKnobText(name, text)).toEqual(settings);
});

test.each([
  ["nack", "target=1", "expected two hex digits, got 1"],
  ["nack", "often=2", "Knob nack has no option often; it has times, target, from"],
  ["theft", "by=31", "expected 10 or 03"],
  ["lateAnswer", "ms=-1", "expected a whole number"],
])("%s %s is refused", (name, text, says) => {
  expect(() => readKnobText(name, text)).toThrow(says);
});

test("lines turn knobs, act and tell; what makes no sense is told and changes nothing", () => {
  const { knobs } = createHouse();
  expect(carryOutKnobLine(knobs, "  nack times=2 target=15 ")).toBe("ok");
  expect(knobs.faults.nack.left).toBe(2);
  expect(carryOutKnobLine(knobs, "nack off")).toBe("ok");
  expect(knobs.faults.nack.left).toBe(0);
  expect(carryOutKnobLine(knobs, "latencyMs 60")).toBe("ok");
  expect(knobs.settings.latencyMs).toBe(60);
  for (const action of ["cut", "resetAdapter", "adapterError host 1", "inject AA 10"])
    expect(carryOutKnobLine(knobs, action)).toBe("ok");
  expect(JSON.parse(carryOutKnobLine(knobs, "counts"))).toMatchObject({
    cut: 1,
    resetAdapter: 1,
    adapterError: 1,
    inject: 1,
  });
  expect(carryOutKnobLine(knobs, "help")).toContain("stuckSyn");
  for (const [line, says] of [
    ["nacks", "no knob nacks"],
    ["latencyMs 2000", "expected a number from 0 to 1000"],
    ["adapterError bus", "expected ebus or host"],
    ["inject AA1", "bytes as hex"],
    ["", "no knob"],
  ] as const)
    expect(() => carryOutKnobLine(knobs, line), line).toThrow(says);
  expect(carryOutKnobLine(knobs, "reset")).toBe("ok");
  expect(knobs.settings.latencyMs).toBe(0);
});
