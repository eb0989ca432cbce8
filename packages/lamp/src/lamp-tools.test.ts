import { createDispatcher, seconds, silentLog, type JsonObject } from "@steading/kernel";
import { expect, test } from "vitest";
import { CALLER, createLampPlace, during } from "./testing/lamp-place.ts";

async function place() {
  const at = await createLampPlace();
  const { part, door, clock, approvals } = at;
  const dispatcher = createDispatcher({ toolsets: part.toolsets, door, clock, log: silentLog });
  const signal = new AbortController().signal;
  async function call(tool: string, input: JsonObject): Promise<JsonObject> {
    const result = await during(
      clock,
      seconds(20),
      dispatcher.call({ tool, arguments: input, caller: CALLER, signal }),
    );
    if (result.kind === "unknown-tool") return expect.fail(`there is no ${tool}`);
    return result.kind === "answer" ? result.structured : result.error.toJson();
  }
  /** Asks for the approval of one call and returns its id. */
  async function asked(tool: string, input: JsonObject): Promise<string> {
    const { code, approval } = await call(tool, input);
    expect(code).toBe("CONFIRMATION_REQUIRED");
    return String(approval);
  }
  at.lamp.on = true;
  at.lamp.switches = 7;
  at.lamp.lines.length = 0;
  return { ...at, call, asked, approvals };
}

test("the counter is set back once the asking client says yes, and the lamp is asked for it", async () => {
  const at = await place();
  const approval = await at.asked("lamp_reset_counter", { lamp: "hall" });
  expect(at.lamp.lines).not.toContain("C");
  const done = await at.call("lamp_reset_counter", { lamp: "hall", approval });
  expect(done).toMatchObject({ lamp: "hall", receipt: { stage: "observed", observed: { switches: 0 } } });
  expect(at.lamp.lines.filter((line) => line !== "?")).toEqual(["C", "#"]);
  expect([at.lamp.on, at.lamp.switches]).toEqual([true, 0]);
  await at.tidy();
});

test("a lamp is as delivered only after somebody else approved it, and the graph is told", async () => {
  const at = await place();
  const approval = await at.asked("lamp_factory_reset", { lamp: "hall" });
  expect(await at.call("lamp_factory_reset", { lamp: "hall", approval })).toMatchObject({ code: "APPROVAL_PENDING" });
  expect(at.lamp.lines).not.toContain("F");
  await at.approvals.decide(approval, { ...CALLER, principal: "ben" }, true);
  const done = await at.call("lamp_factory_reset", { lamp: "hall", approval });
  expect(done).toMatchObject({ receipt: { stage: "observed", observed: { on: false, switches: 0 } } });
  expect(at.lamp.on).toBe(false);
  expect(at.graph.locate("/lamps/hall/on")).toMatchObject({ property: { value: false } });
  await at.tidy();
});

test("a lamp that says yes and stays as it is leaves the outcome unknown", async () => {
  const at = await place();
  at.lamp.lying = true;
  const approval = await at.asked("lamp_reset_counter", { lamp: "hall" });
  const told = await at.call("lamp_reset_counter", { lamp: "hall", approval });
  expect(told).toMatchObject({ code: "NOT_OBSERVED", receipt: { stage: "unknown" } });
  await at.tidy();
});

test("a name that no lamp has asks nobody for anything", async () => {
  const at = await place();
  expect(await at.call("lamp_factory_reset", { lamp: "cellar" })).toMatchObject({ code: "LAMP_UNKNOWN" });
  expect(at.approvals.pending()).toEqual([]);
  await at.tidy();
});
