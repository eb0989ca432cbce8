import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { switchesSince, wireMark } from "../support/lamp-wire.ts";
import { connect2026 } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import type { ToolCaller } from "../support/tool-caller.ts";

const PIN = { pin: "2026-07-28" } as const;

describe("a lamp that may be switched", () => {
  let place: Place;
  let caller: ToolCaller;

  beforeAll(async () => {
    place = await createPlace();
    await place.start();
    caller = await connect2026(place.connection("http"), PIN);
  });
  afterAll(async () => {
    try {
      await caller.close();
    } finally {
      await place.tidy(); // also when there never was a caller
    }
  });
  beforeEach(() => hallIsSeen(caller));
  afterEach(() => place.lamp.knobs.reset());

  // @proves kernel.door.safe-overtakes-lane kernel.door.off-stop-fail-safe-are-safe
  test("OFF goes out while the lamp still owes the answer to an ON, and before an ON that waits", async () => {
    const { lamp } = place;
    const mark = wireMark(lamp);
    lamp.knobs.hold();
    const firstOn = caller.call("set_property", { path: HALL_ON, value: true });
    await lamp.waitFor(() => switchesSince(lamp, mark).length === 1);
    const secondOn = caller.call("set_property", { path: HALL_ON, value: true });
    const off = caller.call("set_property", { path: HALL_ON, value: false });

    await lamp.waitFor(() => switchesSince(lamp, mark).includes("off"));
    lamp.knobs.release();

    expect((await off).structured).toMatchObject({
      status: "confirmed",
      receipt: { stage: "observed", observed: false },
    });
    expect((await firstOn).json).toMatchObject({ receipt: { stage: "unknown" } });
    await secondOn;
    expect(switchesSince(lamp, mark).slice(0, 2)).toEqual(["on", "off"]);
  });

  // @proves kernel.source.door-owned-not-changed-first
  test("the graph shows the lamp as it was last seen until it is seen to have changed", async () => {
    const { lamp } = place;
    await caller.call("set_property", { path: HALL_ON, value: false });
    const mark = wireMark(lamp);
    lamp.knobs.hold();
    const on = caller.call("set_property", { path: HALL_ON, value: true });
    await lamp.waitFor(() => switchesSince(lamp, mark).length === 1);

    expect((await caller.call("get_property", { path: HALL_ON })).structured).toMatchObject({ value: false });
    lamp.knobs.release();
    expect((await on).structured).toMatchObject({ status: "confirmed" });
    expect((await caller.call("get_property", { path: HALL_ON })).structured).toMatchObject({ value: true });
  });

  test.each([
    ["a value of another type", { path: HALL_ON, value: 1 }, "TYPE_MISMATCH"],
    ["a word that is no boolean", { path: HALL_ON, value: "yes" }, "TYPE_MISMATCH"],
    ["null", { path: HALL_ON, value: null }, "NULL_NOT_ALLOWED"],
    ["a path that leads nowhere", { path: "/lamps/attic/on", value: true }, "PATH_NOT_FOUND"],
    ["a path that is no path", { path: "/lamps/%zz/on", value: true }, "INVALID_PATH"],
    ["a path to the lamp itself", { path: "/lamps/hall", value: true }, "NOT_A_PROPERTY"],
    ["no value", { path: HALL_ON }, "INVALID_ARGUMENTS"],
    ["no path", { value: true }, "INVALID_ARGUMENTS"],
    ["a path of another type", { path: { hall: true }, value: true }, "INVALID_ARGUMENTS"],
    ["an unknown field", { path: HALL_ON, value: true, force: true }, "INVALID_ARGUMENTS"],
    ["a key of another type", { path: HALL_ON, value: true, idempotency_key: 7 }, "INVALID_ARGUMENTS"],
  ])("%s is refused by name and costs the lamp no byte", async (_what, args, code) => {
    const mark = wireMark(place.lamp);
    const answer = await caller.call("set_property", args);
    expect(answer).toMatchObject({ isError: true, structured: undefined });
    expect(answer.json).toMatchObject({ code });
    expect(commandsAndRubbish(mark)).toEqual([]);
  });

  // @proves kernel.door.key-conflict-stops
  test("a key that was used for something else is a conflict and sends nothing", async () => {
    const key = randomUUID();
    await caller.call("set_property", { path: HALL_ON, value: true, idempotency_key: key });
    const mark = wireMark(place.lamp);
    const other = await caller.call("set_property", { path: HALL_ON, value: false, idempotency_key: key });
    expect(other.json).toMatchObject({ code: "CONFLICT" });
    expect(commandsAndRubbish(mark)).toEqual([]);
  });

  test("a lamp that answers rubbish is never believed, and works again when it talks sense", async () => {
    place.lamp.knobs.garbage = true;
    const mark = wireMark(place.lamp);
    const key = randomUUID();
    const answer = await caller.call("set_property", { path: HALL_ON, value: true, idempotency_key: key });
    expect(answer.isError).toBe(true);
    expect(answer.json["receipt"]).not.toMatchObject({ stage: "observed" });
    expect(switchesSince(place.lamp, mark).length).toBeLessThanOrEqual(1);
    place.lamp.knobs.garbage = false;
    await hallIsSeen(caller);
    expect(
      (await caller.call("set_property", { path: HALL_ON, value: true, idempotency_key: key })).structured,
    ).toMatchObject({ status: "confirmed" });
    expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
  });

  test("a lamp that hangs up on a command leaves it unknown, and a repeat does not send again", async () => {
    await caller.call("set_property", { path: HALL_ON, value: false });
    const mark = wireMark(place.lamp);
    const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
    place.lamp.knobs.hangUp = true;
    const dropped = await caller.call("set_property", asked);
    expect(dropped).toMatchObject({ isError: true, json: { receipt: { stage: "unknown" } } });
    place.lamp.knobs.hangUp = false;
    await vi.waitFor(
      async () => expect((await caller.call("set_property", asked)).structured).toMatchObject({ status: "confirmed" }),
      { timeout: 20_000 },
    );
    expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
  });

  test("an unplugged lamp is said to be away, nothing is sent, and the key stays free for when it is back", async () => {
    await caller.call("set_property", { path: HALL_ON, value: false });
    const mark = wireMark(place.lamp);
    const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
    await place.lamp.stop();
    const away = await caller.call("set_property", asked);
    expect(away.json).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    await place.lamp.start();
    await vi.waitFor(
      async () => expect((await caller.call("set_property", asked)).structured).toMatchObject({ status: "confirmed" }),
      { timeout: 20_000 },
    );
    expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
  });

  test("answers that dribble in byte by byte are whole answers", async () => {
    place.lamp.knobs.dribble = true;
    for (const value of [true, false]) {
      expect((await caller.call("set_property", { path: HALL_ON, value })).structured).toMatchObject({
        status: "confirmed",
        value,
      });
    }
  });

  /** Every line but the hub's reading of the state. */
  function commandsAndRubbish(mark: number): unknown[] {
    return place.lamp.wire.filter(({ order, request }) => order > mark && request.kind !== "read");
  }
});

describe("a hub with access: read", () => {
  let place: Place;
  let caller: ToolCaller;

  beforeAll(async () => {
    place = await createPlace({ access: "read" });
    await place.start();
    caller = await connect2026(place.connection("http"), PIN);
    await hallIsSeen(caller);
  });
  afterAll(async () => {
    try {
      await caller.close();
    } finally {
      await place.tidy(); // also when there never was a caller
    }
  });

  // @proves kernel.access.read-refuses-every-live kernel.access.read-lets-safe-through kernel.door.safe-ignores-access-mode kernel.access.refusal-names-setting
  test("refuses ON and names the setting, and carries OFF out", async () => {
    const mark = wireMark(place.lamp);
    const on = await caller.call("set_property", { path: HALL_ON, value: true });
    expect(on).toMatchObject({ isError: true, json: { code: "SERVER_READ_ONLY" } });
    expect(JSON.stringify(on.json)).toContain("access");
    expect(switchesSince(place.lamp, mark)).toEqual([]);

    const off = await caller.call("set_property", { path: HALL_ON, value: false });
    expect(off.structured).toMatchObject({ status: "confirmed", receipt: { stage: "observed" } });
    expect(switchesSince(place.lamp, mark)).toEqual(["off"]);
  });
});

/** The hub is connected to the lamp and has heard from it. */
async function hallIsSeen(caller: ToolCaller): Promise<void> {
  await vi.waitFor(
    async () => {
      const { structured } = await caller.call("get_property", { path: HALL_ON });
      expect(structured?.["value"]).toBeTypeOf("boolean");
      expect(structured?.["quality"] ?? "good").toBe("good");
    },
    { timeout: 20_000 },
  );
}
