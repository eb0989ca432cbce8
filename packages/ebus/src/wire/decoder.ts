import { isInitiator } from "./addresses.ts";
import { crcOverSymbol } from "./crc.ts";
import { ACK, ESC, MAX_DATA_READ, NACK, SYN } from "./symbols.ts";
import { kindOf, type Command, type Telegram } from "./telegram.ts";

/** Why a started telegram came to nothing. */
export type Broken =
  | "escape"
  | "address"
  | "length"
  | "crc_mismatch"
  | "nack"
  | "no_answer"
  | "protocol"
  | "cut_short"
  | "trailing";

export type Heard =
  /** The bus is idle or a telegram has ended. */
  | { readonly kind: "syn" }
  /** A whole command, up to its checksum. */
  | { readonly kind: "command"; readonly command: Command; readonly intact: boolean }
  | { readonly kind: "answer"; readonly to: "command" | "response"; readonly positive: boolean }
  | { readonly kind: "response"; readonly data: Uint8Array; readonly intact: boolean }
  /** Acknowledged to the end and closed by a SYN. Only these tell of devices. */
  | { readonly kind: "telegram"; readonly telegram: Telegram }
  /** One initiator's address between two SYN: somebody lost or gave up. */
  | { readonly kind: "lone"; readonly source: number }
  | { readonly kind: "broken"; readonly reason: Broken };

export interface Decoder {
  /** Takes one symbol from the wire. */
  push(symbol: number, heard: (event: Heard) => void): void;
  /** Back to waiting for a SYN: after a reconnect nothing half-read may be continued. */
  reset(): void;
  /** Nothing of a telegram has been read since the last SYN. */
  readonly idle: boolean;
}

type Phase = "lost" | "ready" | "command" | "command-ack" | "response" | "response-ack" | "done";

const HEADER = 5; // QQ ZZ PB SB NN

/**
 * Reads telegrams off the wire, one symbol at a time, for listening and for our own exchanges alike (a sender feeds it
 * the echo). A raw SYN always ends what was being read: an escaped AA is the pair A9 01 and cannot be mistaken for it.
 */
export function createDecoder(): Decoder {
  const bytes = new Uint8Array(HEADER + MAX_DATA_READ);
  let phase: Phase = "lost";
  let filled = 0;
  let wanted = HEADER;
  let crc = 0;
  let escaped = false;
  let intact = true;
  let repeats = 0;
  let command: Command | undefined;
  let response: Uint8Array | undefined;

  function begin(next: "ready" | "command" | "response"): void {
    phase = next;
    filled = 0;
    wanted = next === "response" ? 1 : HEADER;
    crc = 0;
    escaped = false;
    intact = true;
  }

  function give(reason: Broken, heard: (event: Heard) => void): void {
    phase = "lost";
    heard({ kind: "broken", reason });
  }

  function onSyn(heard: (event: Heard) => void): void {
    const was = phase;
    const lone = filled === 1 && !escaped ? bytes[0] : undefined;
    const finished = command;
    const answer = response;
    command = undefined;
    response = undefined;
    repeats = 0;
    const untouched = filled === 0 && !escaped;
    begin("ready");
    if (was === "done" && finished) heard({ kind: "telegram", telegram: telegramOf(finished, answer) });
    else if (was === "command-ack" || (was === "response" && untouched)) heard({ kind: "broken", reason: "no_answer" });
    else if (was === "command" && lone !== undefined) heard({ kind: "lone", source: lone });
    else if (was !== "lost" && was !== "ready") heard({ kind: "broken", reason: "cut_short" });
    heard({ kind: "syn" });
  }

  /** A logical byte inside command or response; true when it was the last one, the checksum. */
  function onByte(byte: number, heard: (event: Heard) => void): boolean {
    if (filled === wanted) {
      intact = byte === crc;
      return true;
    }
    bytes[filled++] = byte;
    const isLength = phase === "command" ? filled === HEADER : filled === 1;
    if (isLength) {
      if (byte > MAX_DATA_READ) give("length", heard);
      else wanted += byte;
    } else if (phase === "command" && filled === 1 && !isInitiator(byte)) give("address", heard);
    else if (phase === "command" && filled === 2 && (byte === ESC || byte === SYN || byte === bytes[0]))
      give("address", heard);
    return false;
  }

  function onSymbol(symbol: number, heard: (event: Heard) => void): void {
    if (filled < wanted) crc = crcOverSymbol(crc, symbol);
    let byte = symbol;
    if (escaped) {
      if (symbol > 1) return give("escape", heard);
      byte = ESC + symbol;
      escaped = false;
    } else if (symbol === ESC) {
      escaped = true;
      return;
    }
    if (!onByte(byte, heard)) return;
    if (phase === "command") endCommand(heard);
    else endResponse(heard);
  }

  function endCommand(heard: (event: Heard) => void): void {
    const read: Command = {
      source: bytes[0] ?? 0,
      target: bytes[1] ?? 0,
      primary: bytes[2] ?? 0,
      secondary: bytes[3] ?? 0,
      data: bytes.slice(HEADER, filled),
    };
    command = read;
    heard({ kind: "command", command: read, intact });
    if (kindOf(read.target) !== "broadcast") phase = "command-ack";
    else if (intact) phase = "done";
    else give("crc_mismatch", heard);
  }

  function endResponse(heard: (event: Heard) => void): void {
    response = bytes.slice(1, filled);
    phase = "response-ack";
    heard({ kind: "response", data: response, intact });
  }

  function onCommandAnswer(symbol: number, heard: (event: Heard) => void): void {
    if (symbol !== ACK && symbol !== NACK) return give("protocol", heard);
    const positive = symbol === ACK;
    heard({ kind: "answer", to: "command", positive });
    // Somebody acknowledged what we did not read intact: whatever follows cannot be trusted.
    if (positive && !intact) return give("crc_mismatch", heard);
    if (positive) {
      repeats = 0;
      if (command && kindOf(command.target) === "initiator") phase = "done";
      else begin("response");
    } else if (repeats++ > 0) give("nack", heard);
    else begin("command"); // repeated as a whole, without arbitration
  }

  function onResponseAnswer(symbol: number, heard: (event: Heard) => void): void {
    if (symbol !== ACK && symbol !== NACK) return give("protocol", heard);
    const positive = symbol === ACK;
    heard({ kind: "answer", to: "response", positive });
    if (positive && !intact) return give("crc_mismatch", heard);
    if (positive) phase = "done";
    else if (repeats++ > 0) give("crc_mismatch", heard);
    else begin("response");
  }

  return {
    push(symbol, heard) {
      if (symbol === SYN) return onSyn(heard);
      switch (phase) {
        case "lost":
          return;
        case "ready":
          begin("command");
          return onSymbol(symbol, heard);
        case "command":
        case "response":
          return onSymbol(symbol, heard);
        case "command-ack":
          return onCommandAnswer(symbol, heard);
        case "response-ack":
          return onResponseAnswer(symbol, heard);
        case "done":
          return give("trailing", heard);
      }
    },
    reset() {
      begin("ready");
      phase = "lost";
      command = undefined;
      response = undefined;
      repeats = 0;
    },
    get idle() {
      return phase === "ready";
    },
  };
}

function telegramOf(command: Command, response: Uint8Array | undefined): Telegram {
  const kind = kindOf(command.target);
  return response === undefined ? { ...command, kind } : { ...command, kind, response };
}
