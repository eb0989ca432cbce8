import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineReader } from "./line-reader.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

test("a line is given out when its LF arrives and not before", () => {
  const reader = createLineReader();
  expect(reader.push(bytes("N1"))).toEqual([]);
  expect(reader.push(bytes("2\n1\n"))).toEqual([
    { kind: "line", text: "N12" },
    { kind: "line", text: "1" },
  ]);
});

test("a CR is part of the line", () => {
  expect(createLineReader().push(bytes("A\r\n"))).toEqual([{ kind: "line", text: "A\r" }]);
});

test("a line that never ends is held to its bound and told as overlong when it does", () => {
  const reader = createLineReader(4);
  expect(reader.push(bytes("x".repeat(10_000)))).toEqual([]);
  expect(reader.push(bytes("\nA\n"))).toEqual([
    { kind: "overlong", bytes: 10_000 },
    { kind: "line", text: "A" },
  ]);
});

test("lines survive being cut anywhere", () => {
  const line = fc.string({
    unit: fc.constantFrom("A", "E", "N", "0", "1", "9", "\r", "\u00ff"),
    maxLength: 32,
  });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
      const wire = bytes(lines.map((each) => `${each}\n`).join(""));
      const reader = createLineReader();
      const points = [0, ...cuts.map((cut) => Math.min(cut, wire.length)).toSorted((a, b) => a - b), wire.length];
      const read = points.slice(1).flatMap((to, i) => reader.push(wire.subarray(points[i], to)));
      expect(read).toEqual(lines.map((text) => ({ kind: "line", text })));
    }),
  );
});
