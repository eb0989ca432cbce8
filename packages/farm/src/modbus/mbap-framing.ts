import { withCrc } from "./crc16.ts";
import { answers, expectedFor, type Arrived, type Expected, type Framing } from "./framing.ts";

const HEADER = 6;
const CRC = 2;
/** Unit and function at least; with the header at most 260 bytes. */
const LEAST_LENGTH = 2;
const MOST_LENGTH = 254;

/** Modbus TCP: a header with transaction, protocol 0 and length, then unit and PDU; no CRC. */
export function createMbapFraming(): Framing {
  let transaction = 0;
  let expected: Expected | undefined;
  let pending = Buffer.alloc(0);

  function judge(id: number, body: Buffer): Arrived {
    if (!expected || id !== transaction || !answers(expected, body[0], body[1])) return { kind: "foreign" };
    expected = undefined;
    return { kind: "reply", frame: withCrc(body) };
  }

  return {
    open(frame) {
      transaction = (transaction % 0xffff) + 1;
      expected = expectedFor(frame);
      const length = frame.length - CRC;
      const bytes = Buffer.alloc(HEADER + length);
      bytes.writeUInt16BE(transaction, 0);
      bytes.writeUInt16BE(length, 4);
      bytes.set(frame.subarray(0, length), HEADER);
      return bytes;
    },
    close() {
      expected = undefined;
    },
    push(piece) {
      pending = pending.length === 0 ? Buffer.from(piece) : Buffer.concat([pending, piece]);
      const arrived: Arrived[] = [];
      while (pending.length >= HEADER) {
        const length = pending.readUInt16BE(4);
        // The header has nothing to find the next frame by: after one that makes no sense, none can be trusted.
        if (pending.readUInt16BE(2) !== 0 || length < LEAST_LENGTH || length > MOST_LENGTH) {
          pending = Buffer.alloc(0);
          arrived.push({ kind: "lost" });
          break;
        }
        if (pending.length < HEADER + length) break;
        arrived.push(judge(pending.readUInt16BE(0), pending.subarray(HEADER, HEADER + length)));
        pending = pending.subarray(HEADER + length);
      }
      return arrived;
    },
  };
}
