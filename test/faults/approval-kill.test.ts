import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { processEnd } from "../support/hub-process.ts";
import { wireMark } from "../support/lamp-wire.ts";
import { connect2026, type Person } from "../support/mcp-clients.ts";
import { createPlace, type Place } from "../support/place.ts";
import { runSteading } from "../support/steading-run.ts";
import { isRecord, type ToolCaller } from "../support/tool-caller.ts";
import { spawnTypeScript } from "../support/typescript-process.ts";

const PIN = { pin: "2026-07-28" } as const;
const HALL = { lamp: "hall" };
let place: Place;
let mark: number;

beforeEach(async () => {
  place = await createPlace();
  mark = wireMark(place.lamp);
});
afterEach(() => place.tidy());

async function startHub(): Promise<void> {
  await place.start();
  await place.lamp.waitFor(({ connections }) => connections === 1);
}

/** Somebody else's process ends the hub, without a word to it. */
async function killHub(): Promise<void> {
  const killer = spawnTypeScript(new URL("strike.ts", import.meta.url), [String(place.hub.pid)], "inherit");
  expect(await processEnd(killer)).toEqual({ code: 0, signal: null });
  expect(await place.hub.ended).toEqual({ code: null, signal: "SIGKILL" });
  await place.lamp.waitFor(({ connections }) => connections === 0);
}

async function asClient<T>(use: (caller: ToolCaller) => Promise<T>, person?: Person): Promise<T> {
  const caller = await connect2026(place.connection("http"), PIN, person);
  try {
    return await use(caller);
  } finally {
    await caller.close().catch(() => {}); // the hub may be dead by then
  }
}

async function asked(tool: string): Promise<string> {
  const { json } = await asClient((caller) => caller.call(tool, HALL));
  expect(json).toMatchObject({ code: "CONFIRMATION_REQUIRED" });
  return String(json["approval"]);
}

async function waiting(): Promise<unknown> {
  const { structured } = await asClient((caller) => caller.call("list_approvals", {}));
  const found: unknown = structured?.["approvals"];
  return Array.isArray(found) ? found.filter(isRecord).map(({ id }) => id) : found;
}

function commands(): string[] {
  return place.lamp.wire.flatMap(({ order, request: { kind } }) =>
    order > mark && kind !== "read" && kind !== "count" ? [kind] : [],
  );
}

const again = (tool: string, approval: string) =>
  asClient(async (caller) =>
    // The hub may have just started and not have found the lamp yet; then nothing was spent either.
    vi.waitFor(
      async () => {
        const answer = await caller.call(tool, { ...HALL, approval });
        expect(answer.json["code"]).not.toBe("SOURCE_UNAVAILABLE");
        return answer;
      },
      { timeout: 20_000 },
    ),
  );

// @proves kernel.approval.durable
test("a hub killed between asking and approving forgets nothing and does nothing", async () => {
  await startHub();
  const approval = await asked("lamp_factory_reset");
  await killHub();
  expect(commands()).toEqual([]);

  await startHub();
  expect(await waiting()).toEqual([approval]);
  expect((await again("lamp_factory_reset", approval)).json).toMatchObject({ code: "APPROVAL_PENDING" });
  expect((await runSteading(["approve", approval, "--data", place.data])).code).toBe(0);
  expect(commands(), "approving sends nothing").toEqual([]);
  await killHub();

  await startHub();
  expect(await waiting()).toEqual([]);
  expect(commands(), "neither does a start").toEqual([]);
  expect((await again("lamp_factory_reset", approval)).structured).toMatchObject({ receipt: { stage: "observed" } });
  expect((await again("lamp_factory_reset", approval)).json).toMatchObject({ code: "APPROVAL_USED" });
  expect(commands()).toEqual(["factory-reset"]);
});

test("a hub killed while its client reads the question does nothing; the client's yes finds the next hub", async () => {
  await startHub();
  const approval = await asked("lamp_reset_counter");
  await killHub();
  await startHub();
  expect(commands()).toEqual([]);
  expect((await again("lamp_reset_counter", approval)).structured).toMatchObject({ receipt: { stage: "observed" } });
  expect(commands()).toEqual(["reset-counter"]);
});

test("a declined approval stays declined over a kill", async () => {
  await startHub();
  const approval = await asked("lamp_factory_reset");
  expect((await runSteading(["approve", approval, "--decline", "--data", place.data])).code).toBe(0);
  await killHub();
  await startHub();
  expect((await again("lamp_factory_reset", approval)).json).toMatchObject({ code: "APPROVAL_DECLINED" });
  expect(commands()).toEqual([]);
});
