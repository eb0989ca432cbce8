import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLamp } from "@steading/sim";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

const turn = (lamp: string, on: boolean) =>
  hubs.run(["call", "set_property", JSON.stringify({ path: `/lamps/${lamp}/on`, value: on }), "--json"]);

// @proves steading.command.estop
test("everything goes off, nothing goes on again over a restart, until somebody arms the hub", async () => {
  const lamps = [createLamp(), createLamp()];
  const config = join(hubs.dir, "own.yaml");
  try {
    const addresses = await Promise.all(lamps.map((lamp) => lamp.start()));
    writeFileSync(config, JSON.stringify({ lamps: addresses.map((at, i) => ({ name: `lamp${i}`, ...at })) }));
    const first = await hubs.hub("start", ["--config", config]);
    expect((await turn("lamp0", true)).code).toBe(0);
    expect((await turn("lamp1", true)).code).toBe(0);

    const stopped = await hubs.run(["estop"]);
    expect(stopped).toMatchObject({ code: 0, out: expect.stringContaining("2 things are known to be off.") });
    expect(lamps.map(({ state }) => state)).toEqual(["off", "off"]);
    expect(await turn("lamp0", true)).toMatchObject({ code: 1, err: expect.stringContaining("HUB_DISARMED") });
    expect((await turn("lamp0", true)).err).toContain("emergency stop");
    expect((await turn("lamp0", false)).code).toBe(0);
    first.stop();
    await first.code;
    expect((await hubs.run(["doctor", "--config", config])).out).toContain("steading arm");

    await hubs.hub("start", ["--config", config]);
    expect((await turn("lamp0", true)).code).toBe(1);
    expect((await hubs.run(["estop", "--json"])).code, "again is fine").toBe(0);
    expect((await hubs.run(["arm"])).out).toContain("armed again");
    expect((await turn("lamp0", true)).code).toBe(0);
    expect(lamps.map(({ state }) => state)).toEqual(["on", "off"]);
  } finally {
    for (const lamp of lamps) await lamp.stop();
  }
});

test("a thing that cannot be reached is named, and the command ends with 1", async () => {
  const lamp = createLamp();
  const config = join(hubs.dir, "own.yaml");
  const address = await lamp.start();
  writeFileSync(config, JSON.stringify({ lamps: [{ name: "far", ...address, timeoutMs: 100 }] }));
  try {
    await hubs.hub("start", ["--config", config]);
    expect((await turn("far", true)).code).toBe(0);
    await lamp.stop();
    const stopped = await hubs.run(["estop"]);
    expect(stopped).toMatchObject({ code: 1, out: expect.stringContaining("NOT KNOWN: /lamps/far") });
    expect(stopped.out).toContain("0 things are known to be off.");
  } finally {
    await lamp.stop();
  }
});

test("a viewer stops nothing", async () => {
  await hubs.hub("demo");
  expect((await hubs.run(["estop", "--role", "viewer"])).code, "there is no such tool for one").toBe(1);
  expect((await hubs.run(["arm"])).out).toContain("nothing had to be done");
});

// @proves steading.command.estop-needs-hub
test("without a hub it says that one is needed", async () => {
  expect(await hubs.run(["estop"])).toMatchObject({ code: 3, err: expect.stringContaining("No hub is running") });
});
