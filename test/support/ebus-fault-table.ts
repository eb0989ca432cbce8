import type { ActiveOutcome } from "@steading/ebus";
import type { House } from "@steading/sim";

/** What one identification of 15 must come to when the house misbehaves in one way. */
export interface FaultRow {
  readonly name: string;
  arm(house: House): void;
  readonly outcome: ActiveOutcome;
  /** How often the command stands on the wire. Undefined: our telegram never got there. */
  readonly commands: number | undefined;
  /** How often the response stands there. */
  readonly responses?: number;
  /** What ends our telegram, as the house tells it. */
  readonly ending?: string;
  /** Strikes on an idle bus only: wait for it before asking. */
  readonly idle?: boolean;
}

const TARGET = 0x15;

export const FAULT_TABLE: readonly FaultRow[] = [
  {
    name: "a dropped ACK",
    arm: ({ knobs }) => knobs.faults.dropAck.arm({ target: TARGET }),
    outcome: "timeout",
    commands: 1,
    ending: "no-ack",
  },
  {
    name: "one NACK",
    arm: ({ knobs }) => knobs.faults.nack.arm({ target: TARGET, times: 1 }),
    outcome: "success",
    commands: 2,
    responses: 1,
    ending: "done",
  },
  {
    name: "two NACK",
    arm: ({ knobs }) => knobs.faults.nack.arm({ target: TARGET, times: 2 }),
    outcome: "nack",
    commands: 2,
    responses: 0,
    ending: "nack",
  },
  {
    name: "a command spoilt once",
    arm: ({ knobs }) => knobs.faults.commandCrc.arm({ target: TARGET, times: 1 }),
    outcome: "success",
    commands: 2,
    ending: "done",
  },
  {
    name: "a command spoilt twice",
    arm: ({ knobs }) => knobs.faults.commandCrc.arm({ target: TARGET, times: 2 }),
    outcome: "nack",
    commands: 2,
    ending: "nack",
  },
  {
    name: "a response spoilt once",
    arm: ({ knobs }) => knobs.faults.responseCrc.arm({ target: TARGET, times: 1 }),
    outcome: "success",
    commands: 1,
    responses: 2,
    ending: "done",
  },
  {
    name: "a response spoilt twice",
    arm: ({ knobs }) => knobs.faults.responseCrc.arm({ target: TARGET, times: 2 }),
    outcome: "crc_mismatch",
    commands: 1,
    responses: 2,
    ending: "response-refused",
  },
  {
    name: "an unplugged device",
    arm: ({ knobs }) => knobs.faults.silence.arm({ target: TARGET }),
    outcome: "timeout",
    commands: 1,
    ending: "no-ack",
  },
  {
    name: "an ACK that is late",
    arm: ({ knobs }) => knobs.faults.lateAnswer.arm({ target: TARGET, part: "ack", ms: 200 }),
    outcome: "timeout",
    commands: 1,
  },
  {
    name: "a response that is late",
    arm: ({ knobs }) => knobs.faults.lateAnswer.arm({ target: TARGET, part: "response", ms: 200 }),
    outcome: "timeout",
    commands: 1,
  },
  {
    name: "noise on the idle bus",
    idle: true,
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "idle" }),
    outcome: "success",
    commands: 1,
    ending: "done",
  },
  {
    name: "noise in place of the ACK",
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "ack", target: TARGET }),
    outcome: "nack",
    commands: 1,
    ending: "protocol",
  },
  {
    name: "noise before the response",
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "response", target: TARGET }),
    outcome: "crc_mismatch",
    commands: 1,
  },
  {
    name: "a dead line",
    arm: ({ knobs }) => knobs.faults.deadLine.arm(),
    outcome: "timeout",
    commands: undefined,
  },
  {
    name: "nothing but SYN",
    arm: ({ knobs }) => knobs.faults.stuckSyn.arm(),
    outcome: "timeout",
    commands: undefined,
  },
  {
    name: "arbitration stolen once by 10",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x10, times: 1 }),
    outcome: "success",
    commands: 1,
    ending: "done",
  },
  {
    name: "arbitration stolen always by 10",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x10, times: 10_000 }),
    outcome: "timeout",
    commands: undefined,
  },
  {
    name: "arbitration stolen always by 03",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x03, times: 10_000 }),
    outcome: "timeout",
    commands: undefined,
  },
  {
    name: "two strangers that collide",
    idle: true,
    arm: ({ knobs }) => knobs.faults.ghost.arm(),
    outcome: "success",
    commands: 1,
    ending: "done",
  },
  {
    name: "a symbol changed on the wire",
    arm: ({ knobs }) => knobs.faults.flipSymbol.arm(),
    outcome: "echo_mismatch",
    commands: undefined,
  },
  {
    name: "an adapter that tells of a framing error",
    arm: ({ knobs }) => knobs.adapterError({ about: "ebus", code: 0 }),
    outcome: "success",
    commands: 1,
    ending: "done",
  },
];
