import { createManualClock, seconds } from "@steading/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryDial } from "../testing/memory-wire.ts";
import { bytesOf, VECTORS } from "../testing/modbus-vectors.ts";
import { crc16 } from "./crc16.ts";
import { openWire } from "./connection.ts";
import { createLine, type Line } from "./line.ts";
import { createMbapFraming } from "./mbap-framing.ts";
import { createRtuFraming } from "./rtu-framing.ts";

const clock = createManualClock();

function lineOn(framing: "tcp" | "rtu", pieces: (reply: Buffer) => readonly Buffer[], reply: string) {
  const net = createMemoryDial({ onWrite: (_bytes, far) => far.send(...pieces(bytesOf(reply))) });
  const line: Line = createLine({
    name: "board",
    open: openWire({ dial: net.dial, framing: framing === "tcp" ? createMbapFraming : createRtuFraming, clock }),
    anonymousFrames: framing === "rtu",
    clock,
  });
  return { line, sent: () => Buffer.concat(net.ends.flatMap((far) => far.received)) };
}

/** Cuts a frame at every place, and once into single bytes. */
function everyCut(length: number): readonly ((reply: Buffer) => readonly Buffer[])[] {
  const single = (reply: Buffer): Buffer[] => [...reply].map((byte) => Buffer.of(byte));
  const atEach = Array.from({ length: length - 1 }, (_, i) => (reply: Buffer): Buffer[] => [
    reply.subarray(0, i + 1),
    reply.subarray(i + 1),
  ]);
  return [(reply) => [reply], single, ...atEach];
}

// @proves farm.vector.read-coils farm.vector.read-discrete farm.vector.read-holding farm.vector.read-input farm.vector.write-coil
// @proves farm.vector.write-register farm.vector.write-coils farm.vector.write-registers farm.vector.exceptions
// @proves farm.board.all-channels-vector farm.board.toggle-vector farm.board.pulse-vectors
// @proves farm.framing.mbap farm.framing.rtu farm.framing.rtu-length farm.framing.byte-at-a-time
describe.each(["tcp", "rtu"] as const)("over %s", (framing) => {
  test.each(VECTORS.map((vector) => [vector.title, vector] as const))("%s, cut anywhere", async (_title, vector) => {
    const [question, reply] = vector[framing];
    for (const pieces of everyCut(bytesOf(reply).length)) {
      const { line, sent } = lineOn(framing, pieces, reply);
      const answer = line.exchange(vector.request, { timeout: seconds(1) });
      if (typeof vector.means === "number") {
        await expect(answer).rejects.toMatchObject({ details: { exception: vector.means } });
      } else {
        expect(await answer).toEqual(vector.means);
      }
      expect(sent()).toEqual(bytesOf(question));
    }
  });

  // @proves farm.vector.identification
  test("the identification request is that of the contract", async () => {
    const { line, sent } = lineOn(framing, () => [], "");
    const asked = line.exchange({ kind: "identify", unit: 1 }, { timeout: seconds(1) });
    const ended = expect(asked).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
    await clock.advance(seconds(1));
    await ended;
    expect(sent()).toEqual(bytesOf(framing === "tcp" ? "00 01 00 00 00 05 01 2B 0E 01 00" : "01 2B 0E 01 00 70 77"));
  });
});

// @proves farm.framing.crc-check-value
test("the check value of 123456789 is 37 4B on the wire", () => {
  const crc = crc16(Buffer.from("123456789", "ascii"));
  expect([crc & 0xff, crc >>> 8]).toEqual([0x37, 0x4b]);
});

// Without our unit's number in it, noise cannot pass for the beginning of our answer; a damaged answer has its own test.
const noise = fc.uint8Array({ maxLength: 12 }).map((bytes) => bytes.map((byte) => (byte === 1 ? 3 : byte)));

// @proves farm.framing.rtu-length farm.framing.two-in-one
test("over RTU an answer is found behind noise and behind another unit's frame, in one piece or many", async () => {
  await fc.assert(
    fc.asyncProperty(noise, fc.boolean(), fc.array(fc.nat(40), { maxLength: 6 }), async (rubbish, stranger, cuts) => {
      const foreign = stranger ? bytesOf("02 04 04 FF CE 02 65 58 24") : Buffer.alloc(0);
      const stream = (reply: Buffer): Buffer[] => cut(Buffer.concat([rubbish, foreign, reply]), cuts);
      const { line } = lineOn("rtu", stream, "01 04 04 01 14 02 46 3A EE");
      const reply = await line.exchange(
        { kind: "read", unit: 1, fc: 4, address: 1, quantity: 2 },
        { timeout: seconds(1) },
      );
      expect(reply).toEqual({ kind: "words", words: [276, 582] });
    }),
    { numRuns: 200 },
  );
});

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((n) => n % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}
