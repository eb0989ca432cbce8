import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { switchesSince, wireMark } from "../support/lamp-wire.ts";
import { CLIENTS } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import { isRecord, receiptOf, type ToolCaller } from "../support/tool-caller.ts";

let place: Place;

beforeAll(async () => {
  place = await createPlace();
  await place.start();
});
afterAll(() => place.tidy());

for (const over of ["http", "stdio"] as const) {
  for (const client of CLIENTS) {
    describe(`${client.name}, over ${over}`, () => {
      let caller: ToolCaller;

      beforeAll(async () => {
        caller = await client.connect(place.connection(over));
      });
      afterAll(() => caller.close());
      beforeEach(() => lampIsOffAndSeen(caller));
      afterEach(() => place.lamp.knobs.reset());

      test("finds the lamp in the graph and its tools in the list", async () => {
        const tools = (await caller.listTools()).map(({ name }) => name);
        for (const name of ["query", "get_property", "set_property", "get_action", "list_actions"])
          expect(tools).toContain(name);

        const lamps = await caller.call("query", { path: "/lamps", depth: 1, includeProperties: true });
        expect(lamps.structured).toMatchObject({
          subjects: { hall: { on: { value: false, type: "boolean", isWritable: true } } },
        });
      });

      // @proves kernel.receipt.observed-is-subjects-confirmed kernel.receipt.get-action-tells-outcome kernel.journey.action-read-back-enters-graph
      test("sets the lamp and gets a receipt that it was observed", async () => {
        const mark = wireMark(place.lamp);

        const on = await caller.call("set_property", { path: HALL_ON, value: true });

        expect(on.isError).toBe(false);
        expect(on.structured).toMatchObject({
          success: true,
          value: true,
          previousValue: false,
          status: "confirmed",
          receipt: { stage: "observed", observed: true },
        });
        expect(on.json).toEqual(on.structured);
        expect(place.lamp.state).toBe("on");
        expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
        expect((await caller.call("get_property", { path: HALL_ON })).structured).toMatchObject({ value: true });
        const action = await caller.call("get_action", { id: receiptOf(on).action });
        expect(action.structured).toMatchObject({ receipt: { action: receiptOf(on).action, stage: "observed" } });
      });

      // @proves kernel.receipt.unknown-stays-unknown kernel.wire.error-is-error-true kernel.wire.error-one-text-block kernel.wire.error-no-structured-content
      test("never hears observed from a lamp that reads back something else", async () => {
        place.lamp.knobs.lyingReadBack = true;

        const on = await caller.call("set_property", { path: HALL_ON, value: true });

        expect(on).toMatchObject({ isError: true, structured: undefined, blocks: 1 });
        expect(on.json).toMatchObject({ code: "TIMEOUT", receipt: { stage: "unknown" } });
        expect(on.json["error"]).toBeTypeOf("string");
        const { action } = receiptOf(on);
        expect((await caller.call("get_action", { id: action })).structured).toMatchObject({
          receipt: { stage: "unknown" },
        });
        expect(await actionsInDoubt(caller)).toContain(action);
      });

      // @proves kernel.door.key-running-waits kernel.door.key-known-replays-answer
      test("sends one command for one key, however often and however fast it asks", async () => {
        const mark = wireMark(place.lamp);
        const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
        place.lamp.knobs.hold(); // so that all twenty are inside before the first can finish
        const answers = Array.from({ length: 20 }, () => caller.call("set_property", asked));
        await place.lamp.waitFor((lamp) => switchesSince(lamp, mark).length > 0);
        place.lamp.knobs.release();

        const [first, ...others] = await Promise.all(answers);

        expect(first?.structured).toMatchObject({ status: "confirmed", receipt: { stage: "observed" } });
        for (const other of others) expect(other).toEqual(first);
        expect(await caller.call("set_property", asked)).toEqual(first);
        expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
      });

      // @proves kernel.door.key-kept-after-first-byte kernel.door.key-repeat-observes
      test("after a time-out a repeat looks at the lamp and does not send again", async () => {
        const mark = wireMark(place.lamp);
        const asked = { path: HALL_ON, value: true, idempotency_key: randomUUID() };
        place.lamp.knobs.silent = true;

        const unanswered = await caller.call("set_property", asked);
        expect(unanswered.json).toMatchObject({ code: "TIMEOUT", receipt: { stage: "unknown" } });
        place.lamp.knobs.silent = false;
        const repeated = await caller.call("set_property", asked);

        expect(repeated.structured).toMatchObject({
          status: "confirmed",
          receipt: { stage: "observed", action: receiptOf(unanswered).action },
        });
        expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
      });
    });
  }
}

/** Every test starts from a lamp that is off, and from a hub that knows it. */
async function lampIsOffAndSeen(caller: ToolCaller): Promise<void> {
  place.lamp.knobs.reset();
  if (place.lamp.state === "on") {
    await vi.waitFor(
      async () => expect((await caller.call("set_property", { path: HALL_ON, value: false })).isError).toBe(false),
      { timeout: 20_000 },
    );
  }
  await vi.waitFor(
    async () => {
      const seen = await caller.call("get_property", { path: HALL_ON });
      expect(seen.structured).toMatchObject({ value: false });
      expect(seen.structured?.["quality"] ?? "good").toBe("good");
    },
    { timeout: 20_000 },
  );
}

async function actionsInDoubt(caller: ToolCaller): Promise<unknown[]> {
  const { structured } = await caller.call("list_actions", { in_doubt: true });
  const actions: unknown = structured?.["actions"];
  if (!Array.isArray(actions)) throw new Error(`list_actions answered ${JSON.stringify(structured)}`);
  return actions.map((action: unknown) => (isRecord(action) ? action["id"] : action));
}
