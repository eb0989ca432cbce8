import type { Part } from "@steading/kernel";
import { expect, test } from "vitest";
import { refuseUnserved } from "./refuse-unserved.ts";

const part: Part = {
  name: "greenhouse",
  toolsets: [],
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  health: () => ({ status: "ok" }),
};

test("a part that wants what this hub does not serve is refused by name when the hub is put together", () => {
  expect(() => refuseUnserved([part, { ...part, mqtt: [] }])).not.toThrow();
  const wanting: Part = { ...part, mqtt: [{} as NonNullable<Part["mqtt"]>[number]] };
  expect(() => refuseUnserved([part, wanting])).toThrow(/greenhouse wants a place on the MQTT port/);
});
