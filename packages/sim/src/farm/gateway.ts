import type { HouseClock } from "../house/clock.ts";
import { createPortCounters } from "../house/ports/port-counters.ts";
import { createTcpPort, type PortAddress } from "../house/ports/tcp-port.ts";
import { withCrc } from "./crc16.ts";
import { GATEWAY_KNOBS, turn, UNIT_KNOBS, type GatewayKnobs, type UnitKnobs } from "./farm-knobs.ts";
import { answerPdu } from "./pdu.ts";
import { createMbapReader, createRtuReader, type ModbusRequest } from "./request-readers.ts";
import { createNumberedStrays, createRtuStrays } from "./stray-answers.ts";
import { REFUSAL, type Unit } from "./unit.ts";
import type { FarmExchange } from "./wire-log.ts";

const BROADCAST = 0;
const MOST_WAITING = 256;

export interface Gateway {
  readonly name: string;
  readonly framing: "tcp" | "rtu";
  readonly knobs: Readonly<GatewayKnobs>;
  readonly connections: number;
  /** Requests that were no Modbus, and ones that found the queue full. */
  readonly rejected: number;
  start(port: number): Promise<PortAddress>;
  stop(): Promise<void>;
  /** Drops every connection. */
  cut(): void;
  turn(knobs: Partial<GatewayKnobs>): void;
  turnUnit(address: number, knobs: Partial<UnitKnobs>): void;
  reset(): void;
}

interface Waiting extends ModbusRequest {
  readonly connection: number;
  readonly send: (bytes: Uint8Array) => void;
}

/** An RS-485 segment behind a socket. There is one wire, so requests are served one after the other, whoever sent them. */
export function createGateway({
  name,
  framing,
  units,
  clock,
  onExchange,
  onChange,
}: {
  readonly name: string;
  readonly framing: "tcp" | "rtu";
  readonly units: readonly Unit[];
  readonly clock: HouseClock;
  readonly onExchange: (exchange: Omit<FarmExchange, "order">) => void;
  readonly onChange: () => void;
}): Gateway {
  const knobs: GatewayKnobs = { ...GATEWAY_KNOBS };
  const unitKnobs = new Map(units.map(({ address }) => [address, { ...UNIT_KNOBS }]));
  const strays = framing === "tcp" ? createNumberedStrays() : createRtuStrays();
  const queue: Waiting[] = [];
  let isBusy = false;
  let connectionsMade = 0;
  let rejected = 0;

  const port = createTcpPort({
    name: `farm's ${name}`,
    dribble: () => knobs.split,
    refuse: () => knobs.refuseConnections,
    counters: createPortCounters(),
    onChange,
    open(output) {
      const connection = ++connectionsMade;
      const reader = framing === "tcp" ? createMbapReader() : createRtuReader();
      let isOpen = true;
      const send = (bytes: Uint8Array): void => {
        if (isOpen) output([...bytes]);
      };
      return {
        name: `${name} ${connection}`,
        receive(bytes) {
          const before = reader.rejected;
          const requests = reader.read(Uint8Array.from(bytes));
          rejected += reader.rejected - before;
          for (const request of requests) {
            if (queue.length >= MOST_WAITING) rejected += 1;
            else queue.push({ ...request, connection, send });
          }
          serve();
        },
        close() {
          isOpen = false;
        },
      };
    },
  });

  function serve(): void {
    if (isBusy) return;
    const next = queue.shift();
    if (next === undefined) return;
    isBusy = true;
    exchange(next, () => {
      isBusy = false;
      serve();
    });
  }

  function exchange(request: Waiting, done: () => void): void {
    const { unit: address, pdu } = request;
    if (address === BROADCAST) {
      for (const unit of units) if (turned(unit.address).dead === false) answerPdu(unit, pdu);
      record(request, undefined, true);
      return done();
    }
    const unit = units.find((each) => each.address === address);
    const how = turned(address);
    if (unit === undefined || how.dead) return unreachable(request, done);
    const answer = how.refuse > 0 ? Uint8Array.of((pdu[0] ?? 0) | 0x80, how.refuse) : answered(unit, how, pdu);
    const spoken = how.silent || !unit.answers ? undefined : spoilt(answer, how);
    const finish = (): void => {
      if (spoken !== undefined) send(request, spoken, how);
      record(request, spoken, true);
      done();
    };
    if (how.slow > 0) clock.timer(how.slow, finish);
    else finish();
  }

  /** A gateway that converts waits for the unit; one that only passes bytes on does not even know that it asked. */
  function unreachable(request: Waiting, done: () => void): void {
    const finish = (): void => {
      const isTold = framing === "tcp" && knobs.deadUnits === "exception";
      const answer = isTold ? Uint8Array.of((request.pdu[0] ?? 0) | 0x80, REFUSAL.noAnswer) : undefined;
      if (answer !== undefined) send(request, answer, UNIT_KNOBS);
      record(request, answer, false);
      done();
    };
    if (framing === "tcp" && knobs.waitMs > 0) clock.timer(knobs.waitMs, finish);
    else finish();
  }

  function answered(unit: Unit, how: UnitKnobs, pdu: Uint8Array): Uint8Array {
    const answer = answerPdu(unit, pdu);
    if (!how.lyingReadBack || pdu[0] !== 0x01 || answer[0] !== 0x01) return answer;
    const count = ((pdu[3] ?? 0) << 8) | (pdu[4] ?? 0);
    return answer.map((byte, i) => (i < 2 ? byte : ~byte & mask(count - (i - 2) * 8)));
  }

  function spoilt(answer: Uint8Array, how: UnitKnobs): Uint8Array {
    if (how.garbage <= 0) return answer;
    how.garbage -= 1;
    return answer.map((byte, i) => (byte * 31 + i * 17 + 0x5a) & 0xff);
  }

  function send(request: Waiting, pdu: Uint8Array, how: UnitKnobs): void {
    const isForeign = how.foreign > 0;
    if (isForeign) how.foreign -= 1;
    const frame = framed(request, pdu, isForeign);
    const before = (knobs.merged ? strays.before(frame) : undefined) ?? [];
    const after = knobs.doubled ? frame : [];
    request.send(Uint8Array.of(...before, ...frame, ...after));
    strays.remember(frame);
  }

  function framed({ transaction, unit }: ModbusRequest, pdu: Uint8Array, isForeign: boolean): Uint8Array {
    if (transaction === undefined) {
      const frame = withCrc(Uint8Array.of(unit, ...pdu));
      if (isForeign) frame[frame.length - 1] = (frame.at(-1) ?? 0) ^ 0xff;
      return frame;
    }
    const told = isForeign ? (transaction + 0x1000) & 0xffff : transaction;
    const length = pdu.length + 1;
    return Uint8Array.of(told >> 8, told & 0xff, 0, 0, length >> 8, length & 0xff, unit, ...pdu);
  }

  function record({ connection, unit, pdu }: Waiting, answer: Uint8Array | undefined, reached: boolean): void {
    onExchange({
      gateway: name,
      connection,
      unit,
      code: pdu[0] ?? 0,
      request: hex(pdu),
      answer: answer === undefined ? undefined : hex(answer),
      reached,
    });
  }

  function turnUnit(address: number, given: Partial<UnitKnobs>): void {
    const own = unitKnobs.get(address);
    if (own === undefined) {
      throw new Error(`Gateway ${name} has no unit ${address}; it has ${[...unitKnobs.keys()].join(", ")}.`);
    }
    turn(own, UNIT_KNOBS, given);
    if (given.stuck !== undefined) units.find((unit) => unit.address === address)?.weld?.(given.stuck);
  }

  function turned(address: number): UnitKnobs {
    return unitKnobs.get(address) ?? UNIT_KNOBS;
  }

  return {
    name,
    framing,
    knobs,
    get connections() {
      return port.connections;
    },
    get rejected() {
      return rejected;
    },
    start: (asked) => port.start(asked),
    stop: () => port.stop(),
    cut: () => port.cut(),
    turn: (given) => turn(knobs, GATEWAY_KNOBS, given),
    turnUnit,
    reset() {
      turn(knobs, GATEWAY_KNOBS, GATEWAY_KNOBS);
      for (const address of unitKnobs.keys()) turnUnit(address, UNIT_KNOBS);
    },
  };
}

/** The bits of a byte that belong to an answer with so many left; padding stays zero. */
function mask(left: number): number {
  return left >= 8 ? 0xff : (1 << Math.max(0, left)) - 1;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
