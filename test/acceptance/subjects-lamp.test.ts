import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENTS } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import type { ToolCaller } from "../support/tool-caller.ts";

// The six tools against the product in a process of its own, with a lamp on a real socket.

let place: Place;
let caller: ToolCaller;

beforeAll(async () => {
  place = await createPlace();
  await place.start();
  const [client] = CLIENTS;
  if (client === undefined) throw new Error("There is no client.");
  caller = await client.connect(place.connection("http"));
});
afterAll(async () => {
  await caller.close();
  await place.tidy();
});

describe("the six tools on the lamp", () => {
  test("it is found by what it can do", async () => {
    const { json: types } = await caller.call("list_types", {});
    expect(types).toMatchObject({
      types: expect.arrayContaining([expect.objectContaining({ name: "steading.Switch", count: 1 })]),
    });
    const { json } = await caller.call("query", {
      depth: 10,
      includeProperties: true,
      filter: { types: ["steading.Switch"] },
    });
    expect(json).toMatchObject({
      subjects: { "lamps/hall": { $type: "Lamp", on: { type: "boolean", isWritable: true } } },
      subjectCount: 1,
    });
  });

  test("it is switched on, and the answer says that the lamp was seen to be on", async () => {
    await caller.call("set_property", { path: HALL_ON, value: false });
    const { json } = await caller.call("set_property", { path: HALL_ON, value: "true" });
    expect(json).toMatchObject({
      success: true,
      previousValue: false,
      value: true,
      status: "confirmed",
      receipt: { stage: "observed" },
    });
    expect(place.lamp.state).toBe("on");
    expect((await caller.call("get_property", { path: HALL_ON })).json).toMatchObject({
      value: true,
      source: expect.any(String),
      changedAt: expect.stringMatching(/Z$/),
    });
  });

  test("what it cannot do is told in the contract's words", async () => {
    expect((await caller.call("list_methods", { path: "/lamps/hall" })).json).toEqual({ methods: [] });
    expect((await caller.call("invoke_method", { path: "/lamps/hall", method: "blink" })).json).toMatchObject({
      code: "METHOD_NOT_FOUND",
    });
    expect((await caller.call("set_property", { path: HALL_ON, value: "dim" })).json).toMatchObject({
      code: "TYPE_MISMATCH",
      expected: { type: "boolean" },
    });
    expect((await caller.call("get_property", { path: "/lamps/hall" })).json).toMatchObject({ code: "NOT_A_PROPERTY" });
    expect((await caller.call("get_property", { path: "/lamps/Hall/on" })).json).toMatchObject({
      code: "PATH_NOT_FOUND",
      suggestions: ["/lamps/hall"],
    });
  });
});
