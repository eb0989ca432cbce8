import type { Cancel, Clock, Duration } from "@steading/kernel";
import type { Heard } from "../wire/decoder.ts";
import { encodeCommand } from "../wire/encode.ts";
import { ACK, NACK, SYN } from "../wire/symbols.ts";
import { kindOf, type Command } from "../wire/telegram.ts";
import type { ActiveOutcome, ExchangeReason, ExchangeResult } from "./exchange-result.ts";
import { afterArrivals } from "../adapters/after-arrivals.ts";
import type { BusTiming } from "./timing.ts";

/** One telegram of ours, from the won arbitration to the released bus. */
export interface Exchange {
  /** Sends ZZ. */
  begin(): void;
  /** A symbol of the wire, and what the decoder made of it. */
  hear(symbol: number, events: readonly Heard[]): void;
  /** Ends it without another byte. */
  abandon(reason: ExchangeReason): void;
}

type Phase = "command" | "command-ack" | "response" | "response-ack" | "release" | "over";

export interface ExchangeDeps {
  readonly command: Command;
  readonly clock: Clock;
  readonly timing: BusTiming;
  readonly send: (symbol: number) => void;
  readonly ended: (result: ExchangeResult) => void;
}

/**
 * Sends symbol by symbol, each only after the echo of the one before: the first wrong echo stops everything. Where the
 * other side is silent or talks nonsense nothing more is sent either, and the next automatic SYN frees the bus.
 */
export function createExchange({ command, clock, timing, send, ended }: ExchangeDeps): Exchange {
  const wire = encodeCommand(command);
  const kind = kindOf(command.target);
  // Our address is on the wire already: the arbitration put it there.
  let outbox: Uint8Array = wire.subarray(1);
  let next = 0;
  let awaited: number | undefined;
  let phase: Phase = "command";
  let transmissions = 1;
  let acknowledged = false;
  let refusals = 0;
  let badResponses = 0;
  let response: Uint8Array | undefined;
  let verdict: { readonly outcome: ActiveOutcome; readonly reason: ExchangeReason } | undefined;
  let timer: Cancel | undefined;

  function finish(outcome: ActiveOutcome, reason: ExchangeReason): void {
    if (phase === "over") return;
    phase = "over";
    timer?.();
    const answered = outcome === "success" && response !== undefined ? { response } : {};
    ended({ outcome, reason, transmissions, acknowledged, ...answered });
  }

  function within(wait: Duration, reason: ExchangeReason): void {
    timer?.();
    timer = afterArrivals(clock, wait, () => {
      // Once the verdict stands, a missing echo of the closing SYN changes nothing.
      if (phase === "release" && verdict) finish(verdict.outcome, verdict.reason);
      else finish("timeout", reason);
    });
  }

  function put(symbols: Uint8Array): void {
    outbox = symbols;
    next = 0;
    putNext();
  }

  function putNext(): void {
    const symbol = outbox[next++];
    if (symbol === undefined) return;
    awaited = symbol;
    within(timing.echo, "no_echo");
    send(symbol);
  }

  function listen(to: "command-ack" | "response"): void {
    phase = to;
    within(timing.answer, "no_answer");
  }

  function release(outcome: ActiveOutcome, reason: ExchangeReason): void {
    verdict = { outcome, reason };
    phase = "release";
    put(Uint8Array.of(SYN));
  }

  function allEchoed(): void {
    if (phase === "command") return kind === "broadcast" ? release("success", "done") : listen("command-ack");
    if (phase === "response-ack") {
      if (badResponses === 0 || response !== undefined) return release("success", "done");
      return badResponses < 2 ? listen("response") : release("crc_mismatch", "response_crc");
    }
    if (verdict) finish(verdict.outcome, verdict.reason);
  }

  function onAnswer(positive: boolean): void {
    if (positive) {
      acknowledged = true;
      return kind === "initiator" ? release("success", "done") : listen("response");
    }
    refusals += 1;
    if (refusals > 1) return release("nack", "refused");
    transmissions += 1;
    phase = "command";
    put(wire); // the whole command with its address, without another arbitration
  }

  function onResponse(data: Uint8Array, intact: boolean): void {
    phase = "response-ack";
    if (intact) response = data;
    else badResponses += 1;
    put(Uint8Array.of(intact ? ACK : NACK));
  }

  function onBroken(reason: Extract<Heard, { kind: "broken" }>["reason"]): void {
    if (reason === "no_answer" || reason === "cut_short") return finish("timeout", "no_answer");
    if (phase === "command-ack") return finish("nack", "ack_position");
    // Nobody can tell where such a response ends; refusing it might talk over it.
    finish("crc_mismatch", "response_garbled");
  }

  function listenTo(events: readonly Heard[]): void {
    if (phase === "response") within(timing.answer, "no_answer");
    for (const event of events) {
      if (phase !== "command-ack" && phase !== "response") return;
      if (event.kind === "answer" && event.to === "command") onAnswer(event.positive);
      else if (event.kind === "response") onResponse(event.data, event.intact);
      else if (event.kind === "broken") onBroken(event.reason);
      else if (event.kind === "syn") finish("timeout", "no_answer");
    }
  }

  return {
    begin: putNext,
    hear(symbol, events) {
      if (phase === "over") return;
      if (awaited === undefined) return listenTo(events);
      if (symbol !== awaited) return finish("echo_mismatch", "echo");
      awaited = undefined;
      if (next < outbox.length) putNext();
      else allEchoed();
    },
    abandon: (reason) => finish("timeout", reason),
  };
}
