import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi, type Answer, type TrialApi } from "../testing/trial-api.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
/** Behind it is nothing, see `startBoardFarm`. */
const DEAD_UNIT = 9;
let farm: TrialFarm;
let api: TrialApi;
let board: number;
/** Unit and function code of every request, in the order in which they went out. */
let asked: string[];
beforeEach(async () => {
  asked = [];
  farm = await startBoardFarm(clock, (bytes) => asked.push(`${bytes[6]}:${bytes[7]}`));
  api = createTrialApi(farm);
  board = (await api.call("POST", "/api/equipment", { body: { ...BOARD, polling_interval_ms: 60_000 } })).id;
  await clock.advance(seconds(61));
});
afterEach(() => farm.stop());

const read = (unitId: number, host = "10.0.0.1") =>
  api.call("POST", "/api/modbus/read/coils", { body: { host, unitId, address: 0, quantity: 1 } });

async function allInTime(answers: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
  let done = false;
  const ended = Promise.all(answers).finally(() => (done = true));
  while (!done) await clock.advance(seconds(0.1));
  return ended;
}

test("reads by hand go behind everything that switches", async () => {
  const reads = [1, 2, 3, 4].map(() => read(DEAD_UNIT));
  await clock.advance(seconds(0.1));
  asked = [];
  const on = api.call("POST", `/api/equipment/${board}/relay/control`, { body: { channel: 0, state: true } });
  const [switched] = await allInTime([on]);
  expect(switched).toMatchObject({ status: 200, json: { confirmed: true } });
  // The one that was out when the ON came, at most.
  expect(asked.slice(0, asked.lastIndexOf("1:1")).filter((each) => each === `${DEAD_UNIT}:1`)).toEqual([]);
  for (const { status } of await allInTime(reads)) expect(status).toBe(504);
});

test("more than four reads by hand at one gateway are told to wait, and leave room when they end", async () => {
  const reads = Array.from({ length: 30 }, () => read(DEAD_UNIT));
  const elsewhere = read(1, "10.0.0.2");
  const answers = await allInTime(reads);
  expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([504, 504, 504, 504]);
  for (const refused of answers.slice(4)) {
    expect(refused).toMatchObject({ status: 503, json: { code: "BUS_BUSY" } });
  }
  expect((await elsewhere).status).toBe(200);
  const again = await allInTime([1, 2, 3, 4].map(() => read(1)));
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
