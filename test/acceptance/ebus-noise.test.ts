import { createDecoder, encodeCommand, encodeResponse, type Heard } from "@steading/ebus";
import { expect, test } from "vitest";
import { falseTelegrams, KINDS_OF_DAMAGE } from "../support/ebus-damage.ts";
import { asPairs, cut, listen } from "../support/ebus-pieces.ts";
import { seededRandom } from "../support/seeded-random.ts";

const TELEGRAMS = 20_000;

test.each(KINDS_OF_DAMAGE)(
  "damage (%s) makes no more false telegrams than an eight-bit checksum lets pass",
  (damage) => {
    const wrong = falseTelegrams({ damage, telegrams: TELEGRAMS, seed: 5 });
    if (damage === "none") expect(wrong).toBe(0);
    expect(wrong / TELEGRAMS).toBeLessThanOrEqual(1 / 256);
  },
);

test("no noise stops the decoder or hides the telegram behind it", () => {
  const random = seededRandom(17);
  const telegram = [
    0xaa,
    ...encodeCommand({ source: 0x10, target: 0xfe, primary: 7, secondary: 0, data: Uint8Array.of(0xa9, 0xaa, 1) }),
    0xaa,
  ];
  for (let round = 0; round < 2_000; round += 1) {
    const decoder = createDecoder();
    const heard: Heard[] = [];
    const noise = Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256));
    for (const symbol of [...noise, ...telegram]) decoder.push(symbol, (event) => heard.push(event));
    expect(heard.at(-2)).toMatchObject({ kind: "telegram", telegram: { data: Uint8Array.of(0xa9, 0xaa, 1) } });
  }
});

/** Telegrams with noise between them. The noise begins and ends with SYN, so each telegram can be heard. */
function trafficAndNoise(pick: (below: number) => number): { readonly wire: number[]; readonly sent: string[] } {
  const bytes = (most: number): Uint8Array => Uint8Array.from({ length: pick(most + 1) }, () => pick(256));
  const wire: number[] = [];
  const sent: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const target = [0x15, 0x08, 0xfe][pick(3)] ?? 0x15;
    const command = { source: 0x10, target, primary: 0xb5, secondary: pick(256), data: bytes(16) };
    const response = target === 0xfe ? undefined : bytes(16);
    wire.push(0xaa, ...encodeCommand(command), ...(response ? [0, ...encodeResponse(response), 0] : []), 0xaa);
    sent.push([0x10, target, 0xb5, command.secondary, ...command.data, ":", ...(response ?? [])].join(" "));
    // Broken telegrams and rubbish; nothing among it begins with an initiator, so none of it can be a telegram.
    if (pick(2) === 0) wire.push(0x02, ...bytes(40));
  }
  wire.push(0xaa);
  return { wire, sent };
}

test.each(["plain", "enhanced"] as const)(
  "over a %s link telegrams among noise are heard the same, however the bytes are cut into pieces",
  async (protocol) => {
    const random = seededRandom(23);
    const pick = (below: number): number => Math.floor(random() * below);
    const listener = await listen(protocol);
    for (let round = 0; round < 300; round += 1) {
      const { wire, sent } = trafficAndNoise(pick);
      const bytes = protocol === "plain" ? wire : asPairs(wire);
      for (const piece of cut(bytes, 1, pick)) listener.say(piece);
      const byteByByte = listener.telegrams();
      for (const piece of cut(bytes, 2 + pick(60), pick)) listener.say(piece);
      expect(listener.telegrams()).toEqual(byteByByte);
      listener.say(bytes);
      expect(listener.telegrams()).toEqual(byteByByte);
      expect(sent.filter((text) => !byteByByte.includes(text))).toEqual([]);
    }
    await listener.stop();
  },
);

test("rubbish on an enhanced link, cut anywhere, hides no telegram behind it", async () => {
  const random = seededRandom(29);
  const pick = (below: number): number => Math.floor(random() * below);
  const listener = await listen("enhanced");
  const telegram = encodeCommand({
    source: 0x10,
    target: 0xfe,
    primary: 7,
    secondary: 0,
    data: Uint8Array.of(0xa9, 0xaa, 1),
  });
  // Two SYN: the first may be the second half of a pair that the rubbish began.
  const whole = asPairs([0xaa, 0xaa, ...telegram, 0xaa]);
  for (let round = 0; round < 2_000; round += 1) {
    const rubbish = Array.from({ length: pick(100) }, () => pick(256));
    for (const piece of cut([...rubbish, ...whole], 1 + pick(20), pick)) listener.say(piece);
    expect(listener.telegrams().at(-1)).toBe("16 254 7 0 169 170 1 :");
  }
  await listener.stop();
});
