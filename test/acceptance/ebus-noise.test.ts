import { createDecoder, encodeCommand, type Heard } from "@steading/ebus";
import { expect, test } from "vitest";
import { falseTelegrams, KINDS_OF_DAMAGE } from "../support/ebus-damage.ts";
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

test("no noise in any segmentation stops the decoder or hides the telegram behind it", () => {
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
