import { afterEach, expect, test } from "vitest";
import { startEbusHouse, type EbusHouse } from "../support/ebus-house.ts";

let place: EbusHouse | undefined;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

const BASV2 = "b5424153563205071704";
const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("hex");

for (const port of ["enh", "plain"] as const) {
  test(`over ${port}: an address is admitted and a device tells who it is`, async () => {
    place = await startEbusHouse({ port, house: { knobs: { traffic: false } } });
    await place.admitted();
    expect(place.bus.state.source).toBe(0x71);
    const result = await place.identify(0x15);
    expect(result).toMatchObject({ outcome: "success", transmissions: 1, acknowledged: true });
    expect(hex(result.response)).toBe(BASV2);
    await place.until(() => place?.house.exchanges.at(-1)?.target === 0x15);
    expect(place.house.exchanges.at(-1)).toMatchObject({ commands: ["71 15 07 04 00"], outcome: "done" });
  });
}
