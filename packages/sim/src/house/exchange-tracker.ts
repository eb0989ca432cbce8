import { isInitiator } from "./addresses.ts";
import { toTelegram, type Exchange, type Outcome, type Telegram } from "./exchange.ts";
import { toHex } from "./hex.ts";
import { createPartReader, type PartReader } from "./part-reader.ts";
import { ACK, BROADCAST, NACK, SYN } from "./symbols.ts";

/** What one symbol completed. */
export type Step =
  | { readonly kind: "syn"; readonly ended: Omit<Exchange, "order"> | undefined }
  | { readonly kind: "symbol" }
  | { readonly kind: "command"; readonly telegram: Telegram; readonly crcOk: boolean; readonly attempt: number }
  | { readonly kind: "ack"; readonly value: number; readonly attempt: number }
  | { readonly kind: "response"; readonly crcOk: boolean; readonly attempt: number }
  | { readonly kind: "final-ack"; readonly value: number; readonly attempt: number };

/** Whose symbol is due: nobody holds the bus, the sender of QQ, or the addressed device. */
export type Turn = "nobody" | "initiator" | "target";

/** Most symbols kept of one exchange; two full commands and two full responses, all escaped, fit. */
const MOST_WIRE_SYMBOLS = 320;

type Phase = "idle" | "command" | "ack" | "response" | "final-ack" | "over" | "broken";

interface Course {
  readonly startedAt: number;
  readonly origin: string;
  readonly wire: number[];
  readonly commands: PartReader[];
  readonly acks: number[];
  readonly responses: PartReader[];
  readonly finalAcks: number[];
  broadcastCrcOk: boolean;
}

/** Follows the exchange on the wire, symbol by symbol, as every participant of a bus has to. */
export interface ExchangeTracker {
  push(symbol: number, at: number, origin: string): Step;
  readonly turn: Turn;
}

export function createExchangeTracker(): ExchangeTracker {
  let phase: Phase = "idle";
  let course: Course | undefined;

  function begin(at: number, origin: string): Course {
    phase = "command";
    return {
      startedAt: at,
      origin,
      wire: [],
      commands: [createPartReader({ headerLength: 5 })],
      acks: [],
      responses: [],
      finalAcks: [],
      broadcastCrcOk: false,
    };
  }

  function readCommand(current: Course, symbol: number): Step {
    const reader = current.commands.at(-1) as PartReader; // begin() made the first, a NACK the second
    const state = reader.push(symbol);
    if (state.kind === "corrupt") phase = "broken";
    if (state.kind !== "whole") return { kind: "symbol" };
    const telegram = toTelegram(reader.bytes);
    phase = telegram.target === BROADCAST ? "over" : "ack";
    current.broadcastCrcOk = telegram.target === BROADCAST && state.crcOk;
    return { kind: "command", telegram, crcOk: state.crcOk, attempt: current.commands.length };
  }

  function readAck(current: Course, symbol: number): Step {
    current.acks.push(symbol);
    const attempt = current.commands.length;
    if (symbol === ACK) {
      const [, target = 0] = current.commands.at(-1)?.bytes ?? [];
      if (isInitiator(target)) phase = "over";
      else beginResponse(current);
    } else if (symbol === NACK && attempt === 1) {
      current.commands.push(createPartReader({ headerLength: 5 }));
      phase = "command";
    } else {
      phase = symbol === NACK ? "over" : "broken";
    }
    return { kind: "ack", value: symbol, attempt };
  }

  function beginResponse(current: Course): void {
    current.responses.push(createPartReader({ headerLength: 1 }));
    phase = "response";
  }

  function readResponse(current: Course, symbol: number): Step {
    const state = (current.responses.at(-1) as PartReader).push(symbol); // beginResponse() made it
    if (state.kind === "corrupt") phase = "broken";
    if (state.kind !== "whole") return { kind: "symbol" };
    phase = "final-ack";
    return { kind: "response", crcOk: state.crcOk, attempt: current.responses.length };
  }

  function readFinalAck(current: Course, symbol: number): Step {
    current.finalAcks.push(symbol);
    const attempt = current.responses.length;
    if (symbol === NACK && attempt === 1) beginResponse(current);
    else phase = symbol === ACK || symbol === NACK ? "over" : "broken";
    return { kind: "final-ack", value: symbol, attempt };
  }

  function end(at: number, by: string): Omit<Exchange, "order"> | undefined {
    const ended = course;
    const last = phase;
    course = undefined;
    phase = "idle";
    if (ended === undefined) return undefined;
    const [source = 0, target] = ended.commands[0]?.bytes ?? [];
    const print = (parts: readonly PartReader[]): string[] =>
      parts.filter((part) => part.bytes.length > 0).map((part) => toHex(part.bytes));
    return {
      startedAt: ended.startedAt,
      endedAt: at,
      endedBy: by,
      origin: ended.origin,
      source,
      target,
      commands: print(ended.commands),
      acks: ended.acks.map((ack) => toHex([ack])),
      responses: print(ended.responses),
      finalAcks: ended.finalAcks.map((ack) => toHex([ack])),
      outcome: toOutcome(ended, last),
      wire: toHex(ended.wire),
    };
  }

  return {
    push(symbol, at, origin) {
      if (symbol === SYN) return { kind: "syn", ended: end(at, origin) };
      course ??= begin(at, origin);
      if (course.wire.length < MOST_WIRE_SYMBOLS) course.wire.push(symbol);
      switch (phase) {
        case "idle":
        case "command":
          return readCommand(course, symbol);
        case "ack":
          return readAck(course, symbol);
        case "response":
          return readResponse(course, symbol);
        case "final-ack":
          return readFinalAck(course, symbol);
        case "over":
        case "broken":
          phase = "broken"; // symbols after the end: nobody may send there
          return { kind: "symbol" };
      }
    },
    get turn() {
      if (phase === "command" || phase === "final-ack") return "initiator";
      return phase === "ack" || phase === "response" ? "target" : "nobody";
    },
  };
}

function toOutcome(course: Course, last: Phase): Outcome {
  switch (last) {
    case "command":
      return course.acks.length > 0 ? "nack" : "fragment";
    case "ack":
      return "no-ack";
    case "response":
      return "no-response";
    case "final-ack":
      return "no-final-ack";
    case "over": {
      const [, target] = course.commands.at(-1)?.bytes ?? [];
      if (target === BROADCAST) return course.broadcastCrcOk ? "done" : "crc";
      if (course.acks.at(-1) === NACK) return "nack";
      return course.finalAcks.at(-1) === NACK ? "response-refused" : "done";
    }
    case "idle":
    case "broken":
      return "protocol";
  }
}
