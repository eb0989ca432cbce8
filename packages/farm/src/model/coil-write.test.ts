import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { BOARD } from "../testing/board-farm.ts";
import { createMemoryDial } from "../testing/memory-wire.ts";
import { createTrialApi, type Answer } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
afterEach(() => farm.stop());

const READ = 1;
const WRITE = 5;
const REGISTER = 6;

/** A board that answers some functions with exceptions, in their order; the last of them stays. */
async function board(exceptions: Readonly<Record<number, number[]>>, { obeys = true } = {}) {
  const coils = new Map<number, boolean>();
  const writes: number[] = [];
  const net = createMemoryDial({
    onWrite(bytes, far) {
      const [unit = 0, fc = 0] = bytes.subarray(6);
      const address = bytes.readUInt16BE(8);
      if (fc === WRITE || fc === REGISTER) writes.push(fc);
      if (fc === WRITE && obeys) coils.set(address, bytes.readUInt16BE(10) === 0xff00);
      const given = exceptions[fc] ?? [];
      const exception = given.length > 1 ? given.shift() : given[0];
      const body =
        exception !== undefined
          ? Buffer.of(unit, fc | 0x80, exception)
          : fc === READ
            ? Buffer.of(unit, fc, 1, Number(coils.get(address) ?? false))
            : bytes.subarray(6, 12);
      far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, body.length), body]));
    },
  });
  farm = createTrialFarm({ clock, dial: () => net.dial });
  await farm.start();
  const api = createTrialApi(farm);
  const mappings = [...BOARD.register_mappings, { name: "set", register: 9, type: "holding", access: "readwrite" }];
  const body = { ...BOARD, register_mappings: mappings, polling_interval_ms: 60_000 };
  const { id } = await api.call("POST", "/api/equipment", { body });
  const call = (path: string, given: object) =>
    inTime(api.call("POST", `/api/equipment/${id}/${path}`, { body: given }));
  return { writes, control: (state: boolean) => call("relay/control", { channel: 0, state }), call };
}

async function inTime(answer: Promise<Answer>): Promise<Answer> {
  let done = false;
  const ended = answer.finally(() => (done = true));
  while (!done) await clock.advance(seconds(0.1));
  return ended;
}
const stageOf = ({ json }: Answer): unknown => {
  const { details, receipt } = json as Record<string, { receipt?: { stage?: string }; stage?: string } | undefined>;
  return receipt?.stage ?? details?.receipt?.stage;
};

// @proves farm.relay.unconfirmed
test("a write that was taken and cannot be read back is unknown, not failed, and raises an alert", async () => {
  const { control } = await board({ [READ]: [2] });
  for (const state of [true, false]) {
    const answer = await control(state);
    expect(answer).toMatchObject({ status: 502, json: { code: "DEVICE_UNCONFIRMED" } });
    expect(stageOf(answer)).toBe("unknown");
  }
  expect((await createTrialApi(farm).call("GET", "/api/alerts")).rows).toMatchObject([{ severity: "critical" }]);
});

test("a long job is a write that was taken: the coil says what became of it", async () => {
  const obeying = await board({ [WRITE]: [5] });
  const done = await obeying.control(true);
  expect([done.status, stageOf(done), done.json["confirmed"]]).toEqual([200, "observed", true]);
  await farm.stop();
  const lazy = await board({ [WRITE]: [5] }, { obeys: false });
  expect(stageOf(await lazy.control(true))).toBe("unknown");
});

test("a device that is busy with the long job it took has not refused it", async () => {
  const { control } = await board({ [WRITE]: [5, 6], [READ]: [2] });
  expect(stageOf(await control(true))).toBe("unknown");
});

test("a gateway that says its unit was silent leaves the decision to the coil", async () => {
  const { control, writes } = await board({ [WRITE]: [0x0b] });
  expect(stageOf(await control(false))).toBe("observed");
  expect(writes).toEqual([WRITE]);
});

test("a second write that is refused does not undo that the first was taken", async () => {
  const taken = await board({ [WRITE]: [5, 5, 5, 4] }, { obeys: false });
  expect(stageOf(await taken.control(true))).toBe("unknown");
});

test.each([1, 2, 3, 4, 6])("exception %i to the write itself is a refusal: nothing was switched", async (code) => {
  const { control } = await board({ [WRITE]: [code] }, { obeys: false });
  const answer = await control(true);
  expect(answer).toMatchObject({ status: 502, json: { code: "DEVICE_EXCEPTION" } });
  expect(stageOf(answer)).toBe("failed");
});

test("a setpoint that the device works on is taken, though not seen", async () => {
  const { call } = await board({ [REGISTER]: [5], 3: [5] });
  const answer = await call("control", { action: "set", value: 7 });
  expect(answer).toMatchObject({ status: 200, json: { confirmed: false } });
  expect(stageOf(answer)).toBe("unknown");
});
