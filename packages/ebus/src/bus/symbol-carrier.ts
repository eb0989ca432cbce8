import { millis, type Cancel, type Clock } from "@steading/kernel";
import type { BusSession } from "../adapters/bus-session.ts";
import type { Heard } from "../wire/decoder.ts";
import { encodeCommand } from "../wire/encode.ts";
import type { Command } from "../wire/telegram.ts";
import type { Arbiter } from "./arbiter.ts";
import type { Carrier, CarryOptions } from "./carrier.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { unsent, type ExchangeReason, type ExchangeResult } from "./exchange-result.ts";
import type { BusTiming } from "./timing.ts";

/** A carrier that is fed with what the session hears. */
export interface SymbolCarrier extends Carrier {
  onSymbol(symbol: number, events: readonly Heard[]): void;
  onSyn(): void;
  onStarted(): void;
  onLost(winner: number | undefined): void;
  /** Whatever is under way comes to nothing. */
  abandon(reason: ExchangeReason): void;
  /** We may no longer speak: what waits fails with `error`, what is under way ends without another byte. */
  refuse(error: Error): void;
  /** A telegram of ours is on the wire. */
  readonly busy: boolean;
}

export interface SymbolCarrierDeps {
  readonly session: Pick<BusSession, "contend" | "withdraw" | "send">;
  readonly arbiter: Arbiter;
  readonly clock: Clock;
  readonly timing: BusTiming;
  /** Has this target ever answered? */
  readonly answers: (target: number) => boolean;
  readonly told: { lost(): void };
}

interface Job {
  readonly command: Command;
  readonly options: CarryOptions;
  contending: boolean;
  exchange?: Exchange;
  finish(result: ExchangeResult): void;
  fail(error: unknown): void;
}

export function createSymbolCarrier(deps: SymbolCarrierDeps): SymbolCarrier {
  const { session, arbiter, clock, timing, answers, told } = deps;
  let job: Job | undefined;

  function contend(current: Job): void {
    if (current.contending || current.exchange) return;
    try {
      session.contend(current.command.source);
    } catch (error) {
      return current.fail(error);
    }
    current.contending = true;
  }

  function giveUp(current: Job, reason: ExchangeReason): void {
    if (current.exchange) return current.exchange.abandon(reason);
    if (current.contending) session.withdraw();
    current.finish(unsent(reason));
  }

  return {
    carry(command, options) {
      return new Promise((resolve, reject) => {
        if (job) throw new Error("The bus carries one telegram at a time."); // its queue sees to that
        encodeCommand(command); // a command that cannot be sent must not cost an arbitration
        const cancelTimer: Cancel = clock.timer(millis(Math.max(0, options.deadline - clock.monotonic())), () =>
          giveUp(current, current.exchange ? "deadline" : "arbitration"),
        );
        // A telegram that has begun is short and ends by itself; cutting it would leave its outcome unknown.
        const onAbort = (): void => void (current.exchange ?? giveUp(current, "cancelled"));
        const settle = (): void => {
          cancelTimer();
          options.signal?.removeEventListener("abort", onAbort);
          if (job === current) job = undefined;
        };
        const current: Job = {
          command,
          options,
          contending: false,
          finish(result) {
            settle();
            if (result.outcome === "timeout" && result.transmissions > 0) arbiter.onTimeout(answers(command.target));
            resolve(result);
          },
          fail(error) {
            settle();
            reject(error);
          },
        };
        job = current;
        if (options.signal?.aborted) return giveUp(current, "cancelled");
        options.signal?.addEventListener("abort", onAbort, { once: true });
        if (arbiter.free) contend(current);
      });
    },
    onSymbol: (symbol, events) => job?.exchange?.hear(symbol, events),
    onSyn() {
      if (job?.exchange) return;
      if (arbiter.onSyn() && job) contend(job);
    },
    onStarted() {
      const current = job;
      if (!current || current.exchange) return;
      current.contending = false;
      try {
        current.options.firstByte?.();
      } catch (error) {
        return current.fail(error); // the bus is ours, but the next automatic SYN takes it from whoever is silent
      }
      current.exchange = createExchange({
        command: current.command,
        clock,
        timing,
        send: (symbol) => session.send(symbol),
        ended: (result) => current.finish(result),
      });
      current.exchange.begin();
    },
    onLost(winner) {
      const current = job;
      if (!current || current.exchange) return;
      current.contending = false;
      told.lost();
      arbiter.onLost(current.command.source, winner);
      if (arbiter.free) contend(current);
    },
    abandon: (reason) => job && giveUp(job, reason),
    refuse(error) {
      if (!job) return;
      if (job.exchange) return job.exchange.abandon("withdrawn");
      if (job.contending) session.withdraw();
      job.fail(error);
    },
    get busy() {
      return job?.exchange !== undefined;
    },
  };
}
