import { isInitiator } from "./addresses.ts";
import type { Bus } from "./bus.ts";
import type { BusMember, Heard } from "./bus-member.ts";
import type { HouseClock } from "./clock.ts";
import type { Device } from "./device.ts";
import type { Telegram } from "./exchange.ts";
import { aimedAt, type Aim, type ArmedFaults } from "./faults.ts";
import { ACK, BROADCAST, crcOf, escapeBytes, NACK, toWire } from "./symbols.ts";

/** The answer under way; without a response when that goes by itself. */
interface Pending {
  readonly response: readonly number[] | undefined;
}

/** Answers for all devices: acknowledge, respond, repeat once. It does on the wire what each of them would do. */
export function createTargetStation({
  bus,
  clock,
  devices,
  faults,
  symbolMs,
  ackMs,
  unknownCommand,
}: {
  bus: Bus;
  clock: HouseClock;
  devices: readonly Device[];
  faults: ArmedFaults;
  symbolMs: number;
  ackMs: () => number;
  unknownCommand: () => "stub" | "nack";
}): { stop(): void } {
  const timers = new Set<() => void>();
  let pending: Pending | undefined;
  let outside = false;
  let applies: (aim: Aim) => boolean = () => false;
  let due: (() => void) | undefined;

  function later(ms: number, fire: () => void): () => void {
    const cancelTimer = clock.timer(Math.max(0, ms), () => {
      timers.delete(cancel);
      fire();
    });
    const cancel = (): void => {
      timers.delete(cancel);
      cancelTimer();
    };
    timers.add(cancel);
    return cancel;
  }

  /** The first symbol has left the device `ackMs` after the last one it heard. */
  function answerInTime(symbols: readonly number[]): void {
    due = later(ackMs() - symbolMs, () => bus.send(station, symbols));
  }

  function hearCommand(telegram: Telegram, crcOk: boolean): void {
    pending = undefined;
    const { target } = telegram;
    applies = aimedAt({ target, outside });
    if (target === BROADCAST) {
      if (crcOk) for (const device of devices) device.overhear?.(telegram);
      return;
    }
    const device = devices.find((one) => one.targets().includes(target) || one.initiators.includes(target));
    if (device === undefined || faults.silence.strike(applies) !== undefined) return;
    if (!crcOk || faults.nack.strike(applies) !== undefined) return answerInTime([NACK]);
    if (outside && faults.commandCrc.strike(applies) !== undefined) return answerInTime([NACK]);
    const dropped = faults.dropAck.strike(applies);
    if (dropped !== undefined) {
      if (dropped.carryOut) device.answer(telegram);
      return;
    }
    acknowledge(device, telegram);
  }

  function acknowledge(device: Device, telegram: Telegram): void {
    const { target } = telegram;
    const junk = faults.noise.strike((noise) => noise.at === "ack" && applies(noise));
    if (junk !== undefined) return answerInTime(junk.bytes);
    if (isInitiator(target)) {
      device.overhear?.(telegram);
      return answerInTime([ACK]);
    }
    const answer = device.answer(telegram);
    if (answer === "unknown" && unknownCommand() === "nack") return answerInTime([NACK]);
    const data = answer === "unknown" ? [0x00] : answer;
    const response = [data.length, ...data];
    pending = { response };
    const late = faults.lateAnswer.strike(applies);
    if (late === undefined) return answerInTime([ACK]);
    pending = { response: undefined };
    const symbols = responseSymbols(response);
    if (late.part === "response") answerInTime([ACK]);
    later(late.ms, () => bus.send(station, late.part === "ack" ? [ACK, ...symbols] : symbols));
  }

  function responseSymbols(response: readonly number[]): number[] {
    if (faults.responseCrc.strike(applies) === undefined) return toWire(response);
    return escapeBytes([...response, crcOf(response) ^ 0xff]);
  }

  function respond({ response }: Pending): void {
    if (response === undefined) return;
    const junk = faults.noise.strike((noise) => noise.at === "response" && applies(noise));
    bus.send(station, [...(junk?.bytes ?? []), ...responseSymbols(response)]);
  }

  const station: BusMember = {
    name: "targets",
    outside: false,
    hear({ step, contenders, won }: Heard) {
      if (contenders !== undefined) {
        outside = [...contenders.keys()].some((member) => member.outside && won(member));
      }
      if (step.kind === "syn") {
        due?.(); // the bus was taken back before the answer began
        due = undefined;
        pending = undefined;
      } else if (step.kind === "command") {
        hearCommand(step.telegram, step.crcOk);
      } else if (pending !== undefined && step.kind === "ack" && step.value === ACK) {
        respond(pending);
      } else if (pending !== undefined && step.kind === "final-ack" && step.value === NACK && step.attempt === 1) {
        respond(pending);
      }
    },
  };
  bus.join(station);
  return {
    /** Forgets the answers that are due; the station stays on the bus. */
    stop() {
      for (const cancel of [...timers]) cancel();
      due = undefined;
      pending = undefined;
    },
  };
}
