/** A command as a device reads it. */
export interface Telegram {
  readonly source: number;
  readonly target: number;
  readonly primary: number;
  readonly secondary: number;
  readonly data: readonly number[];
}

export function toTelegram(bytes: readonly number[]): Telegram {
  const [source = 0, target = 0, primary = 0, secondary = 0] = bytes;
  return { source, target, primary, secondary, data: bytes.slice(5) };
}

/** The logical bytes of a command, without checksum. */
export function toCommandBytes({ source, target, primary, secondary, data }: Telegram): number[] {
  return [source, target, primary, secondary, data.length, ...data];
}

/**
 * How an exchange ended, seen from the wire.
 * `done` answered and acknowledged to the end, or a broadcast with a good checksum; `nack` the command was refused for
 * good; `no-ack`, `no-response`, `no-final-ack` a SYN came where that was due; `response-refused` the initiator refused
 * the response twice; `crc` a broadcast with a bad checksum; `protocol` something else than ACK, NACK or SYN where an
 * acknowledgement was due, or bytes that are no telegram; `fragment` a SYN inside the command.
 */
export type Outcome =
  | "done"
  | "nack"
  | "no-ack"
  | "no-response"
  | "no-final-ack"
  | "response-refused"
  | "crc"
  | "protocol"
  | "fragment";

/** Everything between two SYN. Bytes are spaced hex, as in `71 15 07 04 00`. */
export interface Exchange {
  /** 1 for the first since the house was made, without gaps. */
  readonly order: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Who sent the SYN that ended it: whoever gave the bus free, or `line` where it was taken. */
  readonly endedBy: string;
  /** Who put QQ on the wire: a device's name, or a port and a number such as `enh-1`. */
  readonly origin: string;
  readonly source: number;
  /** Absent when not even that byte came. */
  readonly target: number | undefined;
  /** Each transmission of the command, unescaped, without checksum. Two: it was repeated. */
  readonly commands: readonly string[];
  /** What stood in the acknowledgement position after each command. */
  readonly acks: readonly string[];
  /** Each transmission of the response, unescaped, NN first, without checksum. */
  readonly responses: readonly string[];
  readonly finalAcks: readonly string[];
  readonly outcome: Outcome;
  /** All symbols as they travelled, escapes and checksums included, the closing SYN not. */
  readonly wire: string;
}
