import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { wireMark } from "../support/lamp-wire.ts";
import { connect2025, connect2026, type Connection, type Person } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import { runSteading } from "../support/steading-run.ts";
import type { ToolAnswer, ToolCaller } from "../support/tool-caller.ts";

const HALL = { lamp: "hall" };
let place: Place;
let mark: number;

beforeAll(async () => {
  place = await createPlace();
  await place.start();
});
afterAll(() => place.tidy());
/** A lamp that is on and has counted, so that setting it back can be seen. */
beforeEach(async () => {
  await call("set_property", { path: HALL_ON, value: true });
  await place.lamp.waitFor(({ state }) => state === "on");
  mark = wireMark(place.lamp);
});

/** What changed something on the lamp's wire since the test began. */
function commands(): string[] {
  return place.lamp.wire.flatMap(({ order, request: { kind } }) =>
    order > mark && kind !== "read" && kind !== "count" ? [kind] : [],
  );
}

async function call(tool: string, input: object, ...flags: string[]) {
  const { code, out, err } = await runSteading([
    "call",
    tool,
    JSON.stringify(input),
    "--json",
    "--data",
    place.data,
    ...flags,
  ]);
  return { code, json: JSON.parse(code === 0 ? out : err) as Record<string, unknown> };
}

/** The person at the machine, who is nobody's client. */
async function decide(id: unknown, ...flags: string[]): Promise<number | null> {
  return (await runSteading(["approve", String(id), "--data", place.data, ...flags])).code;
}

const PIN = { pin: "2026-07-28" } as const;
const ASKED: readonly { name: string; connect(to: Connection, person: Person): Promise<ToolCaller> }[] = [
  { name: "a 2026 client", connect: (to, person) => connect2026(to, PIN, person) },
  { name: "a 2025 client with elicitation", connect: connect2025 },
];
const NOT_ASKED: readonly { name: string; connect(to: Connection): Promise<ToolCaller> }[] = [
  { name: "a 2026 client without forms", connect: (to) => connect2026(to, PIN) },
  { name: "a 2025 client without elicitation", connect: (to) => connect2025(to) },
];

const RESET = { receipt: { stage: "observed", observed: { switches: 0 } } };
const DELIVERED = { receipt: { stage: "observed", observed: { on: false, switches: 0 } } };

async function withCaller<T>(connecting: Promise<ToolCaller>, use: (caller: ToolCaller) => Promise<T>): Promise<T> {
  const caller = await connecting;
  try {
    return await use(caller);
  } finally {
    await caller.close();
  }
}

// @proves mcp.confirm.input-required mcp.confirm.accept-executes kernel.approval.confirm-by-asking-client
test.each(ASKED)("confirm: $name is shown a form, and its yes sets the counter back", async ({ connect }) => {
  const questions: string[] = [];
  const person: Person = (question) => {
    questions.push(question);
    expect(commands(), "nothing goes out before the answer").toEqual([]);
    return { action: "accept", content: { confirm: true } };
  };
  await withCaller(connect(place.connection("http"), person), async (caller) => {
    expect((await caller.call("lamp_reset_counter", HALL)).structured).toMatchObject(RESET);
  });
  expect(questions).toEqual([expect.stringContaining("counter of the lamp hall back to zero")]);
  expect(commands()).toEqual(["reset-counter"]);
});

test.each(ASKED)("confirm: $name that says no sends nothing", async ({ connect }) => {
  await withCaller(
    connect(place.connection("http"), () => ({ action: "decline" })),
    async (caller) => {
      expect((await caller.call("lamp_reset_counter", HALL)).json).toMatchObject({ code: "APPROVAL_DECLINED" });
    },
  );
  expect(commands()).toEqual([]);
});

// @proves kernel.approval.confirm-by-second-call kernel.approval.single-use
test.each(NOT_ASKED)("confirm: $name is told the approval's id and carries it back", async ({ connect }) => {
  await withCaller(connect(place.connection("http")), async (caller) => {
    const { json } = await caller.call("lamp_reset_counter", HALL);
    expect(json).toMatchObject({ code: "CONFIRMATION_REQUIRED", confirm: "confirm", hint: expect.any(String) });
    const approval = String(json["approval"]);
    expect(json["hint"]).toContain(approval);
    expect(commands()).toEqual([]);
    expect((await caller.call("lamp_reset_counter", { ...HALL, approval })).structured).toMatchObject(RESET);
    expect((await caller.call("lamp_reset_counter", { ...HALL, approval })).json).toMatchObject({
      code: "APPROVAL_USED",
    });
  });
  expect(commands()).toEqual(["reset-counter"]);
});

test("confirm: the command line says yes with --yes, and without a terminal names the approval", async () => {
  const asked = await call("lamp_reset_counter", HALL);
  expect(asked).toMatchObject({ code: 1, json: { code: "CONFIRMATION_REQUIRED" } });
  expect(commands()).toEqual([]);
  expect(await call("lamp_reset_counter", HALL, "--yes")).toMatchObject({ code: 0, json: RESET });
  expect(commands()).toEqual(["reset-counter"]);
});

const saysYes: Person = () => ({ action: "accept", content: { confirm: true } });
const EVERYBODY: readonly { name: string; connect(to: Connection): Promise<ToolCaller> }[] = [
  ...ASKED.map(({ name, connect }) => ({ name, connect: (to: Connection) => connect(to, saysYes) })),
  ...NOT_ASKED,
];

// @proves kernel.approval.approve-not-by-asking-model kernel.approval.approve-by-console-cli-or-other-principal
test.each(EVERYBODY)("approve: what $name asks for waits for the person at the machine", async ({ connect }) => {
  await withCaller(connect(place.connection("http")), async (caller) => {
    const again = (approval: string): Promise<ToolAnswer> => caller.call("lamp_factory_reset", { ...HALL, approval });
    const { json } = await caller.call("lamp_factory_reset", HALL);
    expect(json).toMatchObject({ code: "CONFIRMATION_REQUIRED", confirm: "approve" });
    const approval = String(json["approval"]);
    expect(json["hint"]).toContain(`steading approve ${approval}`);
    expect((await again(approval)).json).toMatchObject({ code: "APPROVAL_PENDING" });
    expect((await caller.call("decide_approval", { id: approval, approve: true })).json).toMatchObject({
      code: "APPROVAL_OWN",
    });
    expect(commands()).toEqual([]);

    expect(await decide(approval)).toBe(0);
    expect(commands(), "approving sends nothing").toEqual([]);
    expect((await again(approval)).structured).toMatchObject(DELIVERED);
    expect((await again(approval)).json).toMatchObject({ code: "APPROVAL_USED" });
  });
  expect(commands()).toEqual(["factory-reset"]);
  expect(place.lamp.state).toBe("off");
});

test("approve: the command line asks, decides with its own command, and goes on", async () => {
  const { json } = await call("lamp_factory_reset", HALL, "--yes");
  expect(json).toMatchObject({ code: "CONFIRMATION_REQUIRED", confirm: "approve" });
  const { approval } = json;
  expect(await call("lamp_factory_reset", { ...HALL, approval })).toMatchObject({
    code: 1,
    json: { code: "APPROVAL_PENDING" },
  });
  expect(await decide(approval)).toBe(0);
  expect(await call("lamp_factory_reset", { ...HALL, approval })).toMatchObject({ code: 0, json: DELIVERED });
  expect(commands()).toEqual(["factory-reset"]);
});

test("approve: a no at the machine ends it for good", async () => {
  const { json } = await call("lamp_factory_reset", HALL);
  expect(await decide(json["approval"], "--decline")).toBe(0);
  expect(await call("lamp_factory_reset", { ...HALL, approval: json["approval"] })).toMatchObject({
    json: { code: "APPROVAL_DECLINED" },
  });
  expect(commands()).toEqual([]);
});
