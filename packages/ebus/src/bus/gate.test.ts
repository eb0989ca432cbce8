import { expect, test } from "vitest";
import { createGate } from "./gate.ts";

test("every byte is asked about: none while shut, some while probing, all while open, none again once shut", () => {
  let shut = 0;
  const gate = createGate({ readOnly: false, onShut: () => (shut += 1) });
  expect(() => gate.permit()).toThrow("source selection not active");
  gate.turn("probing");
  gate.permit();
  gate.check(true);
  expect(() => gate.check(false)).toThrow("source selection not active");
  gate.turn("open");
  gate.permit();
  gate.check(false);
  gate.turn("shut");
  expect(() => gate.permit()).toThrow("source selection not active");
  expect(shut).toBe(1);
});

test("one that only reads has no way to open", () => {
  const gate = createGate({ readOnly: true });
  for (const state of ["probing", "open"] as const) {
    gate.turn(state);
    expect(gate.state).toBe("shut");
    expect(() => gate.permit()).toThrow("read only");
    expect(() => gate.check(true)).toThrow("read only");
  }
});
