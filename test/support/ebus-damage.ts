import { createDecoder, encodeCommand, encodeResponse, type Telegram } from "@steading/ebus";
import { seededRandom } from "./seeded-random.ts";

export const KINDS_OF_DAMAGE = [
  "none",
  "one bit",
  "two bits",
  "one symbol replaced",
  "one symbol lost",
  "one symbol doubled",
  "burst of 2 to 5 symbols",
  "every symbol random",
] as const;
export type Damage = (typeof KINDS_OF_DAMAGE)[number];

const SYN = 0xaa;
const SOURCES = [0x10, 0x03, 0x71, 0xf1, 0x31];
const TARGETS = [0x15, 0x08, 0x26, 0xec, 0xfe, 0x10];

/** Random telegrams, each damaged in that way: how many were heard that nobody sent. */
export function falseTelegrams({
  damage,
  telegrams,
  seed,
}: {
  readonly damage: Damage;
  readonly telegrams: number;
  readonly seed: number;
}): number {
  const random = seededRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const decoder = createDecoder();
  let sent = "";
  let wrong = 0;
  const push = (symbol: number): void =>
    decoder.push(symbol, (event) => {
      if (event.kind === "telegram" && textOf(event.telegram) !== sent) wrong += 1;
    });

  for (let n = 0; n < telegrams; n += 1) {
    const bytes = (most: number): Uint8Array => Uint8Array.from({ length: pick(most + 1) }, () => pick(256));
    const source = SOURCES[pick(SOURCES.length)] ?? 0x10;
    const target = TARGETS.filter((each) => each !== source)[pick(TARGETS.length - 1)] ?? 0x15;
    const command = { source, target, primary: 0xb5, secondary: pick(256), data: bytes(16) };
    const wire = [...encodeCommand(command)];
    let response: Uint8Array | undefined;
    if (target !== 0xfe) wire.push(0);
    if (target !== 0xfe && target !== 0x10) {
      response = bytes(16);
      wire.push(...encodeResponse(response), 0);
    }
    sent = textOf({ ...command, kind: "target", ...(response && { response }) });
    push(SYN);
    for (const symbol of damaged(wire, damage, pick)) push(symbol);
    push(SYN);
  }
  return wrong;
}

function textOf({ source, target, primary, secondary, data, response }: Telegram): string {
  return [source, target, primary, secondary, ...data, ":", ...(response ?? [])].join(" ");
}

function damaged(wire: number[], damage: Damage, pick: (below: number) => number): number[] {
  const at = pick(wire.length);
  const flip = (place: number): void => void (wire[place] = (wire[place] ?? 0) ^ (1 << pick(8)));
  switch (damage) {
    case "none":
      return wire;
    case "one bit":
      flip(at);
      return wire;
    case "two bits":
      flip(at);
      flip(pick(wire.length));
      return wire;
    case "one symbol replaced":
      wire[at] = pick(256);
      return wire;
    case "one symbol lost":
      return wire.toSpliced(at, 1);
    case "one symbol doubled":
      return wire.toSpliced(at, 0, wire[at] ?? 0);
    case "burst of 2 to 5 symbols":
      for (let n = 0; n < 2 + pick(4) && at + n < wire.length; n += 1) wire[at + n] = pick(256);
      return wire;
    case "every symbol random":
      return wire.map(() => pick(256));
  }
}
