import { Refusal, REFUSAL, type Unit } from "./unit.ts";

const MOST_BITS = 2_000;
const MOST_REGISTERS = 125;
const MOST_WRITTEN_COILS = 1_968;
const MOST_WRITTEN_REGISTERS = 123;

/** Carries out one request (function code and data) and gives the answer's PDU; a refusal is an answer too. */
export function answerPdu(unit: Unit, pdu: Uint8Array): Uint8Array {
  const code = pdu[0] ?? 0;
  try {
    return carryOut(unit, code, pdu);
  } catch (error) {
    if (error instanceof Refusal) return Uint8Array.of(code | 0x80, error.code);
    throw error;
  }
}

function carryOut(unit: Unit, code: number, pdu: Uint8Array): Uint8Array {
  const first = word(pdu, 1);
  const second = word(pdu, 3);
  switch (code) {
    case 0x01:
      return bits(code, ask(unit.coils?.bind(unit))(first, within(second, MOST_BITS)));
    case 0x02:
      return bits(code, ask(unit.discretes?.bind(unit))(first, within(second, MOST_BITS)));
    case 0x03:
      return words(code, ask(unit.holding?.bind(unit))(first, within(second, MOST_REGISTERS)));
    case 0x04:
      return words(code, ask(unit.input?.bind(unit))(first, within(second, MOST_REGISTERS)));
    case 0x05:
      ask(unit.writeCoil?.bind(unit))(first, second);
      return pdu.slice(0, 5);
    case 0x06:
      ask(unit.writeRegisters?.bind(unit))(first, [second]);
      return pdu.slice(0, 5);
    case 0x0f:
      ask(unit.writeCoils?.bind(unit))(first, writtenBits(pdu, within(second, MOST_WRITTEN_COILS)));
      return pdu.slice(0, 5);
    case 0x10:
      ask(unit.writeRegisters?.bind(unit))(first, writtenWords(pdu, within(second, MOST_WRITTEN_REGISTERS)));
      return pdu.slice(0, 5);
    case 0x2b:
      return identification(unit, pdu);
    default:
      throw new Refusal(REFUSAL.function);
  }
}

function ask<Method>(method: Method | undefined): Method {
  if (method === undefined) throw new Refusal(REFUSAL.function);
  return method;
}

function within(count: number, most: number): number {
  if (count < 1 || count > most) throw new Refusal(REFUSAL.value);
  return count;
}

function word(pdu: Uint8Array, at: number): number {
  return ((pdu[at] ?? 0) << 8) | (pdu[at + 1] ?? 0);
}

function bits(code: number, states: readonly boolean[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil(states.length / 8));
  states.forEach((isOn, i) => {
    if (isOn) packed[i >> 3] = (packed[i >> 3] ?? 0) | (1 << (i & 7));
  });
  return Uint8Array.of(code, packed.length, ...packed);
}

function words(code: number, values: readonly number[]): Uint8Array {
  return Uint8Array.of(code, values.length * 2, ...values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]));
}

function writtenBits(pdu: Uint8Array, count: number): readonly boolean[] {
  if (pdu[5] !== Math.ceil(count / 8) || pdu.length !== 6 + pdu[5]) throw new Refusal(REFUSAL.value);
  return Array.from({ length: count }, (_, i) => (((pdu[6 + (i >> 3)] ?? 0) >> (i & 7)) & 1) === 1);
}

function writtenWords(pdu: Uint8Array, count: number): readonly number[] {
  if (pdu[5] !== count * 2 || pdu.length !== 6 + pdu[5]) throw new Refusal(REFUSAL.value);
  return Array.from({ length: count }, (_, i) => word(pdu, 6 + i * 2));
}

/** Basic identification: maker, model, revision. */
function identification(unit: Unit, pdu: Uint8Array): Uint8Array {
  if (pdu[1] !== 0x0e || pdu[2] !== 0x01) throw new Refusal(REFUSAL.value);
  const objects = ["Steading", unit.model, "1.0"].map((text) => new TextEncoder().encode(text));
  return Uint8Array.of(
    ...[0x2b, 0x0e, 0x01, 0x01, 0x00, 0x00, objects.length],
    ...objects.flatMap((text, i) => [i, text.length, ...text]),
  );
}
