import { isSameClass } from "./addresses.ts";
import type { Bus } from "./bus.ts";
import type { BusMember, Heard } from "./bus-member.ts";
import type { Step } from "./exchange-tracker.ts";
import { toCommandBytes, type Telegram } from "./exchange.ts";
import { aimedAt, type ArmedFaults } from "./faults.ts";
import { ACK, BROADCAST, crcOf, escapeBytes, NACK, SYN, toWire } from "./symbols.ts";

/** Telegrams one initiator keeps waiting; more are dropped and counted. */
const MOST_QUEUED = 64;
/** After losing to another class the bus belongs to others for two SYN. */
const SYNS_AFTER_LOSS = 2;

/** One device's initiator face: sends what it is given, by the rules everybody on the bus follows. */
export interface InitiatorStation {
  readonly address: number;
  readonly member: BusMember;
  send(telegram: Omit<Telegram, "source">): void;
  /** Makes sure that a telegram stands ready when the slot is given to this initiator. */
  ready(fallback: Omit<Telegram, "source">): void;
  readonly dropped: number;
}

export function createInitiatorStation({
  name,
  address,
  bus,
  faults,
}: {
  name: string;
  address: number;
  bus: Bus;
  faults: ArmedFaults;
}): InitiatorStation {
  const queue: Telegram[] = [];
  let dropped = 0;
  let syncsToWait = 0;
  let sending: Telegram | undefined;

  function wireOf(telegram: Telegram): number[] {
    const bytes = toCommandBytes(telegram);
    const spoil =
      telegram.target !== BROADCAST &&
      faults.commandCrc.strike(aimedAt({ target: telegram.target, outside: false })) !== undefined;
    return spoil ? escapeBytes([...bytes, crcOf(bytes) ^ 0xff]) : toWire(bytes);
  }

  function hearSlot({ symbol, won, contenders }: Heard): void {
    if (won(member)) {
      sending = queue.shift();
      // QQ is on the wire already. An initiator address is never escaped, so the rest starts at the second symbol.
      if (sending !== undefined) bus.send(member, wireOf(sending).slice(1));
      if (sending?.target === BROADCAST) release();
    } else if (contenders?.has(member) === true) {
      syncsToWait = isSameClass(symbol, address) ? 0 : SYNS_AFTER_LOSS;
    }
  }

  function release(): void {
    bus.send(member, [SYN]);
    sending = undefined;
  }

  function hearStep(telegram: Telegram, step: Step): void {
    if (step.kind === "ack") {
      if (step.value === NACK && step.attempt === 1) bus.send(member, wireOf(telegram));
      else if (step.value !== ACK || bus.turn === "nobody") release();
    } else if (step.kind === "response") {
      bus.send(member, [step.crcOk ? ACK : NACK]);
    } else if (step.kind === "final-ack" && bus.turn === "nobody") {
      release();
    }
  }

  function send(telegram: Omit<Telegram, "source">): void {
    if (queue.length >= MOST_QUEUED) dropped += 1;
    else queue.push({ ...telegram, source: address });
  }

  const member: BusMember = {
    name,
    outside: false,
    hear(heard) {
      if (heard.contenders !== undefined) return hearSlot(heard);
      if (heard.symbol === SYN && heard.step.kind === "syn") {
        sending = undefined; // nobody answered, or it is over
        // A SYN right after a lone QQ is no free bus: its sender gave up, and the next automatic one counts.
        if (heard.step.ended?.wire.length === 2) return;
        if (syncsToWait > 0) syncsToWait -= 1;
        else if (queue.length > 0) bus.contend(member, address);
        return;
      }
      if (sending !== undefined) hearStep(sending, heard.step);
    },
  };
  bus.join(member);
  return {
    address,
    member,
    send,
    ready(fallback) {
      if (queue.length === 0) send(fallback);
    },
    get dropped() {
      return dropped;
    },
  };
}
