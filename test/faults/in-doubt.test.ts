import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { switchesSince, wireMark } from "../support/lamp-wire.ts";
import { connect2026 } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import { isRecord, type ToolCaller } from "../support/tool-caller.ts";

let place: Place;
let caller: ToolCaller;

beforeEach(async () => {
  place = await createPlace();
  await startAndConnect();
});
afterEach(async () => {
  try {
    await caller.close();
  } finally {
    await place.tidy(); // also when there never was a caller
  }
});

async function startAndConnect(): Promise<void> {
  const hub = await place.start();
  caller = await connect2026(place.connection("http"), { pin: "2026-07-28" });
  await vi.waitFor(
    async () =>
      expect((await caller.call("get_property", { path: HALL_ON })).structured).toMatchObject({
        value: expect.any(Boolean),
      }),
    { timeout: 20_000 },
  );
  expect(hub.pid).toBeGreaterThan(0);
}

/** Ends the hub the moment the command has reached the lamp. */
async function endWithCommandUnderWay(
  asked: Readonly<Record<string, unknown>>,
  signal: "SIGKILL" | "SIGTERM",
): Promise<void> {
  const mark = wireMark(place.lamp);
  const answer = caller.call("set_property", asked).then(
    ({ structured }) => structured?.["status"],
    () => "none",
  );
  await place.lamp.waitFor((lamp) => switchesSince(lamp, mark).length === 1);
  process.kill(place.hub.pid, signal);
  expect(await place.hub.ended).toEqual(signal === "SIGKILL" ? { code: null, signal } : { code: 0, signal: null });
  expect(await answer).not.toBe("confirmed");
  place.lamp.knobs.release(); // a lamp that owes answers keeps the line open; nobody is there to hear them
  await place.lamp.waitFor(({ connections }) => connections === 0);
  await caller.close();
}

async function actions(inDoubt: boolean): Promise<Readonly<Record<string, unknown>>[]> {
  const { structured } = await caller.call("list_actions", { in_doubt: inDoubt });
  const actions: unknown = structured?.["actions"];
  return Array.isArray(actions) ? actions.filter(isRecord) : [];
}

// @proves kernel.door.crash-observes-open-reservations kernel.door.crash-never-resends
test("a command that the lamp carried out while the hub died is found observed, and a repeat does not send it", async () => {
  const mark = wireMark(place.lamp);
  const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
  place.lamp.knobs.hold();
  await endWithCommandUnderWay(asked, "SIGKILL");
  await startAndConnect();

  expect(await actions(false)).toMatchObject([
    { arguments: { path: HALL_ON, value: true }, receipt: { stage: "observed" } },
  ]);
  expect(await actions(true)).toEqual([]);
  const repeated = await caller.call("set_property", asked);
  expect(repeated.structured).toMatchObject({ status: "confirmed", receipt: { stage: "observed" } });
  expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
});

test("a hub asked to end leaves what it could not finish on record as unknown, and a repeat finds out without sending", async () => {
  const mark = wireMark(place.lamp);
  const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
  place.lamp.knobs.hold();
  await endWithCommandUnderWay(asked, "SIGTERM");
  await startAndConnect();

  const [left, ...others] = await actions(true);
  expect(left).toMatchObject({ arguments: { path: HALL_ON, value: true }, receipt: { stage: "unknown" } });
  expect(others).toEqual([]);
  const repeated = await caller.call("set_property", asked);
  expect(repeated.structured).toMatchObject({ status: "confirmed", receipt: { action: left?.["id"] } });
  expect(await actions(true)).toEqual([]);
  expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
});

test("a command that the lamp never heard stays in doubt, is listed, and is not sent again by anybody", async () => {
  const mark = wireMark(place.lamp);
  const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
  place.lamp.knobs.deaf = true;
  await endWithCommandUnderWay(asked, "SIGKILL");
  place.lamp.knobs.reset();
  await startAndConnect();

  const listed = await actions(true);
  expect(listed).toMatchObject([{ arguments: { path: HALL_ON, value: true }, receipt: { stage: "unknown" } }]);
  const repeated = await caller.call("set_property", asked);
  expect(repeated.json).toMatchObject({ code: "TIMEOUT", receipt: { stage: "unknown", action: listed[0]?.["id"] } });
  expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
  expect(place.lamp.switchCommands).toBe(0);

  const fresh = await caller.call("set_property", { ...asked, idempotency_key: randomUUID() });
  expect(fresh.structured).toMatchObject({ status: "confirmed" });
});
