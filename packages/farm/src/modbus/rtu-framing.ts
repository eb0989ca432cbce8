import { hasGoodCrc } from "./crc16.ts";
import { answers, expectedFor, type Arrived, type Expected, type Framing } from "./framing.ts";

/** The longest RTU frame. */
const MOST_FRAME = 256;
const EXCEPTION_LENGTH = 5;
const WRITE_LENGTH = 8;

/**
 * RTU frames on a byte stream: `unit | PDU | CRC`. On a real line silence ends a frame; over TCP there is no silence, so
 * the length follows from the function, and the CRC says whether that was right.
 */
export function createRtuFraming(): Framing {
  let expected: Expected | undefined;
  let pending = Buffer.alloc(0);
  /** Where in the stream what waits begins. */
  let position = 0;
  /** Places where a whole frame was tried and was none: more bytes cannot make it one, so its CRC is worked out once. */
  const tried = new Set<number>();

  function drop(count: number): void {
    pending = pending.subarray(count);
    position += count;
  }

  function clear(): void {
    pending = Buffer.alloc(0);
    position = 0;
    tried.clear();
  }

  /** One whole frame taken from the front of what waits, or undefined when more bytes are needed. */
  function take(): Arrived | undefined {
    let garbled = false;
    for (let start = 0; start + 2 <= pending.length; start += 1) {
      const length = frameLength(pending, start);
      const header = expected !== undefined && looksExpected(expected, pending, start);
      if (length === undefined || start + length > pending.length) {
        // Our own answer is on its way: wait for it, whatever the bytes before it were.
        if (header) return undefined;
        continue;
      }
      if (tried.has(position + start)) continue;
      const frame = pending.subarray(start, start + length);
      if (!hasGoodCrc(frame)) {
        if (header) garbled = true;
        else tried.add(position + start);
        continue;
      }
      drop(start + length);
      if (!expected || !answers(expected, frame[0], frame[1]) || !header) return { kind: "foreign" };
      expected = undefined;
      return { kind: "reply", frame: Buffer.from(frame) };
    }
    if (garbled) {
      clear();
      return { kind: "garbled" };
    }
    return undefined;
  }

  return {
    open(frame) {
      expected = expectedFor(frame);
      clear();
      return frame;
    },
    close() {
      expected = undefined;
      clear();
    },
    push(piece) {
      pending = pending.length === 0 ? Buffer.from(piece) : Buffer.concat([pending, piece]);
      const arrived: Arrived[] = [];
      for (let next = take(); next; next = take()) arrived.push(next);
      // Bytes that a whole frame's length has not made sense of never will.
      if (pending.length > MOST_FRAME) drop(pending.length - MOST_FRAME);
      return arrived;
    },
  };
}

/** Starts like the answer we wait for, as far as can be seen. */
function looksExpected(expected: Expected, bytes: Buffer, start: number): boolean {
  if (!answers(expected, bytes[start], bytes[start + 1])) return false;
  const count = bytes[start + 2];
  if (expected.byteCount === undefined || bytes[start + 1] !== expected.fc || count === undefined) return true;
  return count === expected.byteCount;
}

/** The length of the frame that starts there; undefined when its start does not tell yet, or is none we know. */
function frameLength(bytes: Buffer, start: number): number | undefined {
  const fc = bytes[start + 1] ?? 0;
  if (fc >= 0x80) return EXCEPTION_LENGTH;
  switch (fc) {
    case 1:
    case 2:
    case 3:
    case 4: {
      const count = bytes[start + 2];
      return count === undefined ? undefined : 3 + count + 2;
    }
    case 5:
    case 6:
    case 0x0f:
    case 0x10:
      return WRITE_LENGTH;
    case 0x2b:
      return identificationLength(bytes, start);
    default:
      return undefined;
  }
}

/** Identification is a list of objects, each with a length of its own. */
function identificationLength(bytes: Buffer, start: number): number | undefined {
  const objects = bytes[start + 7];
  if (objects === undefined) return undefined;
  let at = start + 8;
  for (let i = 0; i < objects; i += 1) {
    const length = bytes[at + 1];
    if (length === undefined) return undefined;
    at += 2 + length;
  }
  return at - start + 2;
}
