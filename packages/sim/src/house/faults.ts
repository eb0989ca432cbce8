import { createFault, type ArmedFault, type Fault, type FaultOptions } from "./fault.ts";

/** Which commands a fault is meant for. */
export interface Aim {
  /** Only for this target address; all where absent. */
  readonly target?: number;
  /** Commands from a host behind a port (the usual), from the house's own initiators, or both. */
  readonly from: "outside" | "house" | "anyone";
}

interface FaultKinds {
  /** The target hears the command and stays silent; `carryOut` makes it act all the same. */
  readonly dropAck: Aim & { readonly carryOut: boolean };
  /** The target refuses the command with FF. */
  readonly nack: Aim;
  /**
   * The command reaches the target with a bad checksum, and it refuses. One from outside is spoilt only at the target's
   * ear, so that its sender's echo is right; one of the house's own initiators is spoilt on the wire for all to see.
   */
  readonly commandCrc: Aim;
  /** The response goes out with a wrong checksum; a repetition counts as another time. */
  readonly responseCrc: Aim;
  /** The target is as if unplugged. */
  readonly silence: Aim;
  /** The answer comes that late: all of it, or everything after an ACK in time. Nothing stops it, not even a SYN. */
  readonly lateAnswer: Aim & { readonly ms: number; readonly part: "ack" | "response" };
  /** No symbol passes, not even SYN. */
  readonly deadLine: object;
  /** Nothing but SYN on the wire, one after the other; every other symbol is overwritten. */
  readonly stuckSyn: object;
  /** In an arbitration with someone from outside this initiator is a hair earlier: the wire carries its byte. */
  readonly theft: { readonly by: 0x10 | 0x03 };
  /** Two initiators nobody knows collide after an idle SYN; the wire carries the AND of both, and they give up. */
  readonly ghost: { readonly of: readonly [number, number] };
  /** Bytes nobody sent: after an idle SYN, in place of an ACK, or between ACK and response. */
  readonly noise: Aim & { readonly bytes: readonly number[]; readonly at: "idle" | "ack" | "response" };
  /** A symbol from outside is changed on the wire, after arbitration: its sender sees another echo. */
  readonly flipSymbol: { readonly mask: number };
  /** The enhanced adapter sends the first half of a pair and then nothing for that long. */
  readonly halfPair: { readonly silentMs: number };
  /** B555 writes of slot 1 and later are acknowledged and lost. */
  readonly lostTimerSlot: object;
  /** Reads of the zone's index register answer FF, absent. */
  readonly zoneVanish: { readonly zone: number };
  /** A UDP datagram from the house is not sent. */
  readonly lostDatagram: object;
}

export type FaultName = keyof FaultKinds;
export type Faults = { readonly [Name in FaultName]: Fault<FaultKinds[Name]> };
export type ArmedFaults = { readonly [Name in FaultName]: ArmedFault<FaultKinds[Name]> };
export type FaultSettings = { readonly [Name in FaultName]?: FaultOptions<FaultKinds[Name]> };

export function createFaults({ onLineChange }: { onLineChange: () => void }): ArmedFaults {
  const forever = Number.POSITIVE_INFINITY;
  const aim: Aim = { from: "outside" };
  return {
    dropAck: createFault({ name: "dropAck", defaults: { ...aim, carryOut: false } }),
    nack: createFault({ name: "nack", defaults: aim }),
    commandCrc: createFault({ name: "commandCrc", defaults: aim }),
    responseCrc: createFault({ name: "responseCrc", defaults: aim }),
    silence: createFault<Aim>({ name: "silence", defaults: { from: "anyone" }, times: forever }),
    lateAnswer: createFault<FaultKinds["lateAnswer"]>({
      name: "lateAnswer",
      defaults: { ...aim, ms: 200, part: "ack" },
    }),
    deadLine: createFault({ name: "deadLine", defaults: {}, times: forever, onChange: onLineChange }),
    stuckSyn: createFault({ name: "stuckSyn", defaults: {}, times: forever, onChange: onLineChange }),
    theft: createFault<FaultKinds["theft"]>({ name: "theft", defaults: { by: 0x10 } }),
    ghost: createFault<FaultKinds["ghost"]>({ name: "ghost", defaults: { of: [0x7f, 0xf1] } }),
    noise: createFault<FaultKinds["noise"]>({ name: "noise", defaults: { ...aim, bytes: [0x55], at: "idle" } }),
    flipSymbol: createFault({ name: "flipSymbol", defaults: { mask: 0x04 } }),
    halfPair: createFault({ name: "halfPair", defaults: { silentMs: 1_000 } }),
    lostTimerSlot: createFault({ name: "lostTimerSlot", defaults: {} }),
    zoneVanish: createFault({ name: "zoneVanish", defaults: { zone: 0 } }),
    lostDatagram: createFault({ name: "lostDatagram", defaults: {} }),
  };
}

/** For a fault that may be meant for some commands only. */
export function aimedAt({ target, outside }: { target: number; outside: boolean }): (aim: Aim) => boolean {
  return (aim) =>
    (aim.target === undefined || aim.target === target) &&
    (aim.from === "anyone" || aim.from === (outside ? "outside" : "house"));
}
