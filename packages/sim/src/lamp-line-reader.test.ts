import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLampLineReader, type LampLine } from "./lamp-line-reader.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const readable = (lines: LampLine[]): string[] =>
  lines.map((line) => (line.kind === "line" ? Buffer.from(line.bytes).toString("latin1") : "<too long>"));

describe("the lamp's line reader", () => {
  test("several lines in one segment are several lines", () => {
    expect(readable(createLampLineReader().push(bytes("1\n?\n#\n")))).toEqual(["1", "?", "#"]);
  });

  test("a line is complete only with its LF", () => {
    const reader = createLampLineReader();
    expect(reader.push(bytes("1"))).toEqual([]);
    expect(readable(reader.push(bytes("\n")))).toEqual(["1"]);
  });

  test("a CR belongs to the line", () => {
    expect(readable(createLampLineReader().push(bytes("1\r\n")))).toEqual(["1\r"]);
  });

  test("sixteen bytes are a line, the seventeenth makes it too long at once and once only", () => {
    expect(readable(createLampLineReader().push(bytes(`${"1".repeat(16)}\n`)))).toEqual(["1".repeat(16)]);

    const reader = createLampLineReader();
    expect(readable(reader.push(bytes("1".repeat(17))))).toEqual(["<too long>"]);
    expect(reader.push(bytes("1".repeat(4_000)))).toEqual([]);
    expect(readable(reader.push(bytes("\n1\n")))).toEqual(["1"]);
  });

  test("bytes cut anywhere give the same lines", () => {
    const anyLine = fc.oneof(
      fc.constantFrom("1", "0", "?", "#", ""),
      fc.string({ unit: "binary-ascii", maxLength: 40 }).map((text) => text.replaceAll("\n", "")),
    );
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(fc.nat(400)), (sent, cuts) => {
        const wire = bytes(sent.map((line) => `${line}\n`).join(""));
        const reader = createLampLineReader();
        const got = cut(wire, cuts).flatMap((piece) => readable(reader.push(piece)));
        expect(got).toEqual(sent.map((line) => (line.length > 16 ? "<too long>" : line)));
      }),
    );
  });
});

function cut(wire: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((place) => place % (wire.length + 1)).toSorted((a, b) => a - b), wire.length];
  return places.slice(1).map((end, i) => wire.subarray(places[i], end));
}
