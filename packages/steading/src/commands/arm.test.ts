import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

const turn = (on: boolean) =>
  hubs.run(["call", "set_property", JSON.stringify({ path: "/lamps/demo/on", value: on }), "--json"]);
const isArmed = async (): Promise<unknown> =>
  (
    JSON.parse((await hubs.run(["call", "get_property", '{"path":"/system/hub/armed"}', "--json"])).out) as {
      value: unknown;
    }
  ).value;

/** A demo hub that has just come back from a backup. */
async function restored(): Promise<{ readonly url: string }> {
  const first = await hubs.hub("demo");
  expect((await hubs.run(["backup", "copy"])).code).toBe(0);
  expect((await hubs.run(["restore", "copy"])).out).toContain("`steading arm`");
  first.stop();
  await first.code;
  return (await hubs.hub("demo")).ready;
}

// @proves store.restore.disarmed
test("a restored hub switches nothing on until somebody runs `steading arm`; off works all the time", async () => {
  const { url } = await restored();
  const refused = await turn(true);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("HUB_DISARMED") });
  expect(refused.err).toContain("steading arm");
  expect(await turn(false)).toMatchObject({ code: 0, out: expect.stringContaining('"observed"') });
  expect(await isArmed()).toBe(false);

  // Anybody may ask, so it says no more than that something needs care.
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: "degraded" });
  const doctor = await hubs.run(["doctor"]);
  expect(doctor).toMatchObject({ code: 1, out: expect.stringContaining("steading arm") });

  const armed = await hubs.run(["arm", "--json"]);
  expect(JSON.parse(armed.out)).toMatchObject({ armed: true, receipt: { stage: "acknowledged" } });
  expect(await turn(true)).toMatchObject({ code: 0, out: expect.stringContaining('"observed"') });
  expect(await isArmed()).toBe(true);
  expect((await hubs.run(["arm"])).out).toBe("The hub is armed; nothing had to be done.\n");
  // The demo's devices may not all have been heard yet; that, too, is no reason to call a hub ready.
  await expect.poll(async () => (await fetch(`${url}/readyz`)).json()).toEqual({ status: "ok" });
});

test("a restored hub that does not run is armed on its state, for good", async () => {
  const first = await hubs.hub("start");
  await hubs.run(["backup", "copy"]);
  await hubs.run(["restore", "copy"]);
  first.stop();
  await first.code;
  const second = await hubs.hub("start");
  second.stop();
  await second.code;
  expect((await hubs.run(["doctor"])).out).toContain("after a restore");
  expect((await hubs.run(["arm"])).out).toContain("armed again");
  await hubs.hub("start");
  expect(await isArmed()).toBe(true);
});

test("arming, like all that looks after the hub, is offered to no MCP client", async () => {
  await hubs.hub("start");
  expect((await hubs.run(["call", "arm_hub", "{}", "--role", "admin"])).code).toBe(1);
});
