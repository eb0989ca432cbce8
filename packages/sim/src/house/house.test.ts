import { afterEach, describe, expect, test } from "vitest";
import { createRig, type Rig } from "./testing/rig.ts";

let rig: Rig;
afterEach(() => rig.close());

describe.each(["enh", "plain"] as const)("a host at the %s port", (port) => {
  test.each([
    ["15", "0A B5 42 41 53 56 32 05 07 17 04", 0x71],
    ["EC", "0A B5 42 41 53 56 32 05 07 17 04", 0x71],
    ["08", "0A B5 42 41 49 30 30 02 02 76 03", 0xe6],
    ["26", "0A B5 56 52 5F 37 31 01 00 59 04", 0xe8],
    ["F6", "0A B5 4E 45 54 58 33 40 40 04 04", 0x56],
    ["04", "0A B5 4E 45 54 58 33 40 40 04 04", 0x56],
    ["35", "0A B5 56 52 5F 39 32 05 14 12 04", 0x69],
  ])("the device at %s says who it is", async (target, answer, crc) => {
    rig = await createRig({ port });
    const result = await rig.ask(`${target} 07 04 00`);
    expect(result).toMatchObject({ outcome: "done", responseCrc: crc });
    expect(rig.house.exchanges.at(-1)).toMatchObject({ outcome: "done", responses: [answer] });
  });
});
