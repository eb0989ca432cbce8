import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 }); // the hub listens for ten seconds before it asks anybody
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

// @proves steading.mount.heating
test("the demo's heating is heard, then asked, and its devices are below /heating", async () => {
  const { ready } = await hubs.hub("demo");
  const heating = async (): Promise<string> =>
    (await hubs.run(["call", "query", '{"path":"/heating","includeProperties":true,"depth":2}', "--json"])).out;
  await vi.waitFor(async () => expect(await heating()).toContain("Vaillant"), { timeout: 60_000, interval: 500 });
  const state = await hubs.run(["call", "get_property", '{"path":"/heating/sourceState"}', "--json"]);
  expect(JSON.parse(state.out)).toMatchObject({ value: "admitted" });
  expect(await (await fetch(`${ready.url}/readyz`)).json()).toEqual({ status: "ok" });
});
