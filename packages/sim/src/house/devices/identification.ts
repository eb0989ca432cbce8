import type { Answer } from "../device.ts";
import type { Identity } from "../data/modules.data.ts";
import type { Telegram } from "../exchange.ts";

const VAILLANT = 0xb5;
const CHUNK_LENGTH = 8;

/** What every Vaillant device answers: who it is (07 04), and its serial number in four pieces (B5 09 with 24 to 27). */
export function answerIdentification(identity: Identity, { primary, secondary, data }: Telegram): Answer {
  if (primary === 0x07 && secondary === 0x04 && data.length === 0) {
    return [VAILLANT, ...ascii(identity.id), ...identity.software, ...identity.hardware];
  }
  const [piece = 0] = data;
  if (primary === 0xb5 && secondary === 0x09 && data.length === 1 && piece >= 0x24 && piece <= 0x27) {
    const from = (piece - 0x24) * CHUNK_LENGTH;
    return [0x00, ...ascii(identity.serial.padEnd(4 * CHUNK_LENGTH).slice(from, from + CHUNK_LENGTH))];
  }
  return "unknown";
}

function ascii(text: string): number[] {
  return [...Buffer.from(text, "ascii")];
}
