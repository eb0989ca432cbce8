import { crc16 } from "./crc16.ts";

/** One request as it came in, framing taken off. */
export interface ModbusRequest {
  /** Undefined on RTU, which has none. */
  readonly transaction: number | undefined;
  readonly unit: number;
  readonly pdu: Uint8Array;
}

/** Takes bytes in any pieces and gives whole requests; what cannot be one is dropped and counted. */
export interface RequestReader {
  read(bytes: Uint8Array): readonly ModbusRequest[];
  readonly rejected: number;
}

const MBAP_HEADER = 7;
const MOST_PDU = 253;
const MOST_WAITING = 4_096;

export function createMbapReader(): RequestReader {
  let waiting = new Uint8Array();
  let rejected = 0;
  return {
    read(bytes) {
      waiting = joined(waiting, bytes);
      const found: ModbusRequest[] = [];
      while (waiting.length >= MBAP_HEADER) {
        const length = word(waiting, 4);
        if (word(waiting, 2) !== 0 || length < 2 || length > MOST_PDU + 1) {
          // The stream has lost its place: there is no mark to find it again, so all that came is rubbish.
          rejected += 1;
          waiting = new Uint8Array();
          break;
        }
        if (waiting.length < 6 + length) break;
        found.push({ transaction: word(waiting, 0), unit: waiting[6] ?? 0, pdu: waiting.slice(7, 6 + length) });
        waiting = waiting.slice(6 + length);
      }
      return found;
    },
    get rejected() {
      return rejected;
    },
  };
}

export function createRtuReader(): RequestReader {
  let waiting = new Uint8Array();
  let rejected = 0;
  return {
    read(bytes) {
      waiting = joined(waiting, bytes);
      const found: ModbusRequest[] = [];
      while (waiting.length >= 2) {
        const length = rtuLength(waiting);
        if (length === "more" || (typeof length === "number" && waiting.length < length)) {
          if (waiting.length <= MOST_WAITING) break;
        } else if (length !== "unknown" && crc16(waiting.slice(0, length)) === 0) {
          found.push({ transaction: undefined, unit: waiting[0] ?? 0, pdu: waiting.slice(1, length - 2) });
          waiting = waiting.slice(length);
          continue;
        }
        // A board would wait for silence; over TCP there is none to hear, so the next byte may begin a frame.
        rejected += 1;
        waiting = waiting.slice(1);
      }
      return found;
    },
    get rejected() {
      return rejected;
    },
  };
}

function rtuLength(frame: Uint8Array): number | "more" | "unknown" {
  const code = frame[1] ?? 0;
  if (code >= 0x01 && code <= 0x06) return 8;
  if (code === 0x2b) return 7;
  if (code !== 0x0f && code !== 0x10) return "unknown";
  const count = frame[6];
  return count === undefined ? "more" : 9 + count;
}

function joined(one: Uint8Array, two: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + two.length);
  all.set(one);
  all.set(two, one.length);
  return all;
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
