import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { randomFillSync } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Counters, Ops } from "./writer-messages.ts";

/** What one transaction would have written, and the revision that it builds on. */
export interface ReserveFrame {
  readonly base: number;
  readonly ops: Ops;
  readonly counters: Counters;
}

/**
 * Room on the disk that is taken while there is some, and overwritten in place when there is none: what has its blocks
 * already needs no others. Holds frames, each of a length, a checksum and JSON; a length of zero ends them.
 */
export interface ReserveFile {
  /** What lies in it, oldest first; stops at the first frame that was not written to its end. */
  frames(): ReserveFrame[];
  /** On the platter when it returns. Throws `ENOSPC` when the file is used up. */
  append(frame: ReserveFrame): void;
  /** Forgets the frames; the room stays taken. */
  reset(): void;
  /** Takes a little more room; false when there is no more to take. */
  grow(): boolean;
  /** Gives room back to the disk, if that much is unused. */
  giveBack(bytes: number): boolean;
  close(): void;
}

const START = 8;
const FRAME_HEAD = 8;
const END_MARK = 4;
const STEP = 256 * 1024;

export function openReserveFile({ file, bytes }: { file: string; bytes: number }): ReserveFile {
  const handle = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  let size = fstatSync(handle).size;
  let grows = true;
  let end = START;
  /** Not zeros: a file system that compresses would take no room for them. */
  let filling: Buffer | undefined;

  function readFrame(at: number): { frame: ReserveFrame; next: number } | undefined {
    const head = Buffer.alloc(FRAME_HEAD);
    if (readSync(handle, head, 0, FRAME_HEAD, at) < FRAME_HEAD) return undefined;
    const length = head.readUInt32LE(0);
    if (length === 0 || at + FRAME_HEAD + length > size) return undefined;
    const body = Buffer.alloc(length);
    readSync(handle, body, 0, length, at + FRAME_HEAD);
    if (crc32(body) !== head.readUInt32LE(4)) return undefined;
    // Written by `append`; the checksum says that it is what was written.
    return { frame: JSON.parse(body.toString("utf8")) as ReserveFrame, next: at + FRAME_HEAD + length };
  }

  function begin(): void {
    writeSync(handle, Buffer.alloc(START + END_MARK), 0, START + END_MARK, 0);
    fdatasyncSync(handle);
    size = Math.max(size, START + END_MARK);
  }

  return {
    frames() {
      const frames: ReserveFrame[] = [];
      end = START;
      for (let read = readFrame(end); read; read = readFrame(end)) {
        frames.push(read.frame);
        end = read.next;
      }
      return frames;
    },
    append(frame) {
      const body = Buffer.from(JSON.stringify(frame), "utf8");
      const whole = Buffer.alloc(FRAME_HEAD + body.length + END_MARK);
      whole.writeUInt32LE(body.length, 0);
      whole.writeUInt32LE(crc32(body), 4);
      body.copy(whole, FRAME_HEAD);
      if (end + whole.length > size) throw noRoom(size);
      writeSync(handle, whole, 0, whole.length, end);
      fdatasyncSync(handle);
      end += whole.length - END_MARK;
    },
    reset() {
      begin();
      end = START;
    },
    grow() {
      if (!grows || size >= bytes) return false;
      try {
        if (size < START + END_MARK) begin();
        filling ??= randomFillSync(Buffer.alloc(STEP));
        size += writeSync(handle, filling, 0, Math.min(STEP, bytes - size), size);
      } catch {
        grows = false; // the disk is full already; what was taken is what there is
      }
      return grows;
    },
    giveBack(amount) {
      if (size - amount < end + END_MARK) return false;
      size -= amount;
      ftruncateSync(handle, size);
      grows = false;
      return true;
    },
    close: () => closeSync(handle),
  };
}

function noRoom(size: number): Error {
  return Object.assign(new Error(`The reserve of ${size} bytes is used up`), { code: "ENOSPC" });
}
