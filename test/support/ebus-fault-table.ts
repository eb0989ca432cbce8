import type { ActiveOutcome, EbusBus, ExchangeResult } from "@steading/ebus";
import { seconds } from "@steading/kernel";
import type { House } from "@steading/sim";

/** What one question to 15 must come to when the house misbehaves in one way. */
export interface FaultRow {
  readonly name: string;
  /** The knob or action of the house that this is. */
  readonly knob: string;
  arm(house: House): void;
  readonly outcome: ActiveOutcome;
  /** How often the command stands on the wire: once, or repeated once. Undefined: our telegram never got there. */
  readonly commands: 1 | 2 | undefined;
  /** How often the response stands there. */
  readonly responses: 0 | 1 | 2;
  /** Who frees the bus: we, or the SYN that follows our silence. */
  readonly freedBy: "us" | "line" | undefined;
  /** What ends our telegram, as the house tells it. */
  readonly ending?: string;
  /** Strikes on an idle bus only: wait for it before asking. */
  readonly idle?: boolean;
  /** A setting, so nothing counts how often it struck. */
  readonly setting?: boolean;
  /** Ends only with the call's own deadline. */
  readonly untilDeadline?: boolean;
  /** Another question than who 15 is. */
  readonly question?: Question;
  /** The first data byte that the device's answer ends with. */
  readonly answersLast?: number;
  /** The command on the wire is not the one that we sent. */
  readonly changed?: boolean;
  /** What ebusd says when this befalls it; it repeats and frees the bus itself. */
  readonly daemon: string;
}

interface Question {
  readonly target: number;
  readonly primary: number;
  readonly secondary: number;
  readonly data: readonly number[];
}

const IDENTIFY_15: Question = { target: 0x15, primary: 7, secondary: 4, data: [] };
const ZONE_INDEX: Question = { target: 0x15, primary: 0xb5, secondary: 0x24, data: [2, 0, 3, 0, 0x1c, 0] };
/** A question that a regulator does not know. */
const STATUS: Question = { target: 0x15, primary: 0xb5, secondary: 0x11, data: [1] };
const TARGET = 0x15;

const DATA = "0ab5424153563205071704";
const NO_ANSWER = "ERR: read timeout";

const done = { outcome: "success", ending: "done", freedBy: "us", daemon: DATA } as const;
const once = { ...done, commands: 1, responses: 1 } as const;
const neverThere = { outcome: "timeout", commands: undefined, responses: 0, freedBy: undefined } as const;
const noAnswer = { outcome: "timeout", commands: 1, responses: 0, freedBy: "line", daemon: NO_ANSWER } as const;
const refused = { outcome: "nack", commands: 2, responses: 0, freedBy: "us", ending: "nack" } as const;

export const FAULT_TABLE: readonly FaultRow[] = [
  {
    name: "a dropped ACK",
    knob: "dropAck",
    arm: ({ knobs }) => knobs.faults.dropAck.arm({ target: TARGET }),
    ...noAnswer,
    ending: "no-ack",
  },
  {
    name: "a dropped ACK of a device that acts all the same",
    knob: "dropAck",
    arm: ({ knobs }) => knobs.faults.dropAck.arm({ target: TARGET, carryOut: true }),
    ...noAnswer,
    ending: "no-ack",
  },
  {
    name: "one NACK",
    knob: "nack",
    arm: ({ knobs }) => knobs.faults.nack.arm({ target: TARGET, times: 1 }),
    ...done,
    commands: 2,
    responses: 1,
  },
  {
    name: "two NACK",
    knob: "nack",
    arm: ({ knobs }) => knobs.faults.nack.arm({ target: TARGET, times: 2 }),
    ...refused,
    daemon: "ERR: NAK received",
  },
  {
    name: "a command that the device refuses to know",
    knob: "unknownCommand",
    setting: true,
    question: STATUS,
    arm: ({ knobs }) => knobs.turn({ unknownCommand: "nack" }),
    ...refused,
    daemon: "ERR: NAK received",
  },
  {
    name: "a command spoilt once",
    knob: "commandCrc",
    arm: ({ knobs }) => knobs.faults.commandCrc.arm({ target: TARGET, times: 1 }),
    ...done,
    commands: 2,
    responses: 1,
  },
  {
    name: "a command spoilt twice",
    knob: "commandCrc",
    arm: ({ knobs }) => knobs.faults.commandCrc.arm({ target: TARGET, times: 2 }),
    ...refused,
    daemon: "ERR: NAK received",
  },
  {
    name: "a response spoilt once",
    knob: "responseCrc",
    arm: ({ knobs }) => knobs.faults.responseCrc.arm({ target: TARGET, times: 1 }),
    ...done,
    commands: 1,
    responses: 2,
  },
  {
    name: "a response spoilt twice",
    knob: "responseCrc",
    arm: ({ knobs }) => knobs.faults.responseCrc.arm({ target: TARGET, times: 2 }),
    outcome: "crc_mismatch",
    commands: 1,
    responses: 2,
    freedBy: "us",
    ending: "response-refused",
    daemon: "ERR: CRC error",
  },
  {
    name: "an unplugged device",
    knob: "silence",
    arm: ({ knobs }) => knobs.faults.silence.arm({ target: TARGET }),
    ...noAnswer,
    ending: "no-ack",
  },
  {
    name: "an ACK in the last moment",
    knob: "ackMs",
    setting: true,
    arm: ({ knobs }) => knobs.turn({ ackMs: 20 }),
    ...once,
  },
  {
    name: "an ACK that is late",
    knob: "lateAnswer",
    arm: ({ knobs }) => knobs.faults.lateAnswer.arm({ target: TARGET, part: "ack", ms: 200 }),
    ...noAnswer,
    ending: "no-ack",
  },
  {
    name: "a response that is late",
    knob: "lateAnswer",
    arm: ({ knobs }) => knobs.faults.lateAnswer.arm({ target: TARGET, part: "response", ms: 200 }),
    ...noAnswer,
    ending: "no-response",
  },
  {
    name: "noise on the idle bus",
    knob: "noise",
    idle: true,
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "idle" }),
    ...once,
  },
  {
    name: "bytes from nowhere",
    knob: "inject",
    idle: true,
    arm: ({ knobs }) => knobs.inject([0x10, 0x55]),
    ...once,
  },
  {
    name: "noise in place of the ACK",
    knob: "noise",
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "ack", target: TARGET }),
    outcome: "nack",
    commands: 1,
    responses: 0,
    freedBy: "line",
    ending: "protocol",
    daemon: "ERR: ACK error",
  },
  {
    name: "noise before the response",
    knob: "noise",
    arm: ({ knobs }) => knobs.faults.noise.arm({ at: "response", target: TARGET }),
    outcome: "crc_mismatch",
    commands: 1,
    responses: 1,
    freedBy: "line",
    daemon: "ERR: CRC error",
  },
  {
    name: "a dead line",
    knob: "deadLine",
    arm: ({ knobs }) => knobs.faults.deadLine.arm(),
    ...neverThere,
    untilDeadline: true,
    daemon: "ERR: no signal",
  },
  {
    name: "nothing but SYN",
    knob: "stuckSyn",
    arm: ({ knobs }) => knobs.faults.stuckSyn.arm(),
    ...neverThere,
    untilDeadline: true,
    daemon: "ERR: arbitration lost",
  },
  {
    name: "arbitration stolen once by 10",
    knob: "theft",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x10, times: 1 }),
    ...once,
  },
  {
    name: "arbitration stolen always by 10",
    knob: "theft",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x10, times: 10_000 }),
    ...neverThere,
    untilDeadline: true,
    daemon: "ERR: arbitration lost",
  },
  {
    name: "arbitration stolen always by 03",
    knob: "theft",
    arm: ({ knobs }) => knobs.faults.theft.arm({ by: 0x03, times: 10_000 }),
    ...neverThere,
    untilDeadline: true,
    daemon: "ERR: arbitration lost",
  },
  {
    name: "two strangers that collide",
    knob: "ghost",
    idle: true,
    arm: ({ knobs }) => knobs.faults.ghost.arm(),
    ...once,
  },
  {
    name: "a symbol changed on the wire",
    knob: "flipSymbol",
    arm: ({ knobs }) => knobs.faults.flipSymbol.arm(),
    outcome: "echo_mismatch",
    commands: 1,
    responses: 0,
    freedBy: "line",
    ending: "fragment",
    changed: true,
    daemon: "ERR: wrong symbol received",
  },
  {
    name: "an adapter that tells of a framing error",
    knob: "adapterError",
    arm: ({ knobs }) => knobs.adapterError({ about: "ebus", code: 0 }),
    ...once,
  },
  {
    name: "an adapter that tells of an overrun",
    knob: "adapterError",
    arm: ({ knobs }) => knobs.adapterError({ about: "host", code: 1 }),
    ...once,
  },
  {
    name: "a zone that vanishes",
    knob: "zoneVanish",
    question: ZONE_INDEX,
    arm: ({ knobs }) => knobs.faults.zoneVanish.arm({ zone: 0 }),
    ...once,
    answersLast: 0xff,
  },
  {
    name: "each byte in a segment of its own",
    knob: "dribble",
    setting: true,
    arm: ({ knobs }) => knobs.turn({ dribble: true }),
    ...once,
  },
];

/** Knobs that are no row above, each with where it is tried or why it is no fault of the bus. */
export const OTHER_KNOBS: Readonly<Record<string, string>> = {
  latencyMs: "ebus-adapter-faults.test.ts: it needs waits of its own",
  halfPair: "ebus-adapter-faults.test.ts: only enhanced adapters have pairs",
  resetAdapter: "ebus-adapter-faults.test.ts: only enhanced adapters tell of it",
  cut: "ebus-adapter-faults.test.ts: it ends the link",
  refuse: "ebus-adapter-faults.test.ts: it ends the link",
  lostDatagram: "ebus-sockets.test.ts: only UDP has datagrams",
  lostTimerSlot: "ebus-adapter-faults.test.ts: a write, and what was written is read back",
  traffic: "no fault: who else talks",
  vr92: "no fault: who is there",
  regulator: "no fault: who is there",
  heatSource: "no fault: who is there",
  fm5Config: "no fault: what a register says",
  boilerError: "no fault of the bus: what a register says",
  adapterInfo: "no fault: what the adapter can tell",
  adapterVersionLength: "no fault: what the adapter can tell",
  adapterJumpers: "no fault: what the adapter can tell",
};

/** How often the house has misbehaved or acted. */
export function struckIn(house: House): number {
  return Object.values(house.knobs.counts()).reduce((sum, count) => sum + count, 0);
}

export function askFor(bus: EbusBus, row: FaultRow, timeout = seconds(2)): Promise<ExchangeResult> {
  const { data, ...question } = row.question ?? IDENTIFY_15;
  return bus.read({ ...question, data: Uint8Array.from(data), timeout });
}

/** What our telegrams of that row left on the wire, in the row's own terms. */
export function leftOnWire(
  house: House,
  from: number,
): readonly Pick<FaultRow, "commands" | "responses" | "freedBy" | "ending">[] {
  return house.exchanges
    .slice(from)
    .filter(({ origin, commands }) => HOST.test(origin) && !commands[0]?.startsWith("71 26"))
    .map(({ commands, responses, endedBy, outcome }) => ({
      // The house's log tells no more than there were.
      commands: commands.length as 1 | 2,
      responses: responses.length as 0 | 1 | 2,
      freedBy: HOST.test(endedBy) ? "us" : "line",
      ending: outcome,
    }));
}

/** The same, as the row wants it. */
export function wantedOnWire({ commands, responses, freedBy, ending }: FaultRow): readonly object[] {
  return commands === undefined ? [] : [{ commands, responses, freedBy, ...(ending !== undefined && { ending }) }];
}

const HOST = /^(enh|plain|udp|pty)-/;
