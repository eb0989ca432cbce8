import { createTrialFarm, shedRelays, soilProbe, type TrialFarm } from "@steading/farm/testing";
import { createManualHouseClock, createVirtualFarm, type FarmAddresses, type FarmExchange } from "@steading/sim";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const PROBE = 2;
const POLLS = 12;
/** Longer than a test takes: what is on the wire is there because somebody asked for it. */
const SELDOM = 60_000;

// The boards' time stands still, so a slow unit holds the wire until the test lets it go.
let clock: ReturnType<typeof createManualHouseClock>;
let sim: ReturnType<typeof createVirtualFarm>;
let addresses: FarmAddresses;
let farm: TrialFarm;
let board: number;

beforeEach(async () => {
  clock = createManualHouseClock();
  sim = createVirtualFarm({ clock });
  addresses = await sim.start();
  farm = createTrialFarm({ timeoutMs: 5_000 });
  await farm.start();
  ({ id: board } = await farm.core.book.create({ ...shedRelays(addresses), polling_interval_ms: SELDOM }, "test"));
  await farm.core.field.pollNow(board);
});
afterEach(async () => {
  await farm.stop();
  await sim.stop();
});

/** Fills the gateway's queue with polls, the first of which is on the wire and stays there until `letGo`. */
async function holdWireWithPolls(): Promise<{ letGo: () => void; polled: Promise<unknown> }> {
  const probes: number[] = [];
  for (let i = 0; i < POLLS; i += 1) {
    const probe = { ...soilProbe(addresses, PROBE), name: `Probe ${i}`, polling_interval_ms: SELDOM };
    probes.push((await farm.core.book.create(probe, "test")).id);
  }
  sim.unit("shed", PROBE, { slow: 1 });
  const polled = Promise.all(probes.flatMap((id) => farm.core.field.pollNow(id) ?? []));
  await waiting(POLLS - 1);
  await expect.poll(() => clock.pending, { interval: 2 }).toBe(1);
  sim.unit("shed", PROBE, { slow: 0 });
  return { letGo: () => clock.advance(1), polled };
}

/** Waits until so many requests stand in the gateway's queue behind the one on the wire. */
async function waiting(count: number): Promise<void> {
  const { book, field } = farm.core;
  await expect
    .poll(() => field.busOf(book.get(board))?.counters().waiting, { interval: 2 })
    .toBeGreaterThanOrEqual(count);
}

const turn = (channel: number, state: boolean, equipmentId = board) =>
  farm.core.relays.switch({ equipmentId, channel, state, source: "manual" }, farm.perform);

/** An exchange as a word: what was done to which coil, or a poll. */
function word({ unit, code, request }: FarmExchange): string {
  if (unit === PROBE) return "poll";
  const coil = Number.parseInt(request.slice(2, 6), 16);
  if (code === 5) return `${request.slice(6, 10) === "ff00" ? "on" : "off"} ${coil}`;
  return code === 15 ? "write all" : code === 1 ? `read ${coil}` : `code ${code}`;
}

/** What went over the wire since `order`. */
const since = (order: number): string[] => sim.exchanges.filter((each) => each.order > order).map(word);
const present = (): number => sim.exchanges.at(-1)?.order ?? 0;

describe("behind a gateway whose queue is full of polls", () => {
  // @proves farm.schedule.priority farm.schedule.poll-delay
  test.each([
    ["an ON", true, "on 3"],
    ["an OFF", false, "off 3"],
  ])("%s and its read-back overtake every poll but the one on the wire", async (_what, state, written) => {
    if (!state) await turn(3, true);
    const before = present();
    const { letGo, polled } = await holdWireWithPolls();
    const switched = turn(3, state);
    await waiting(POLLS);
    letGo();
    expect(await switched).toMatchObject({ confirmed: true, state });
    await polled;
    const wire = since(before);
    expect(wire.slice(0, 3)).toEqual(["poll", written, "read 3"]);
    expect(wire.filter((each) => each === "poll")).toHaveLength(POLLS);
    expect(sim.isClosed("shed", 1, 4)).toBe(state);
  });

  test("all channels off overtakes the polls as well", async () => {
    await turn(3, true);
    const before = present();
    const { letGo, polled } = await holdWireWithPolls();
    const switched = farm.core.relays.switchAll(board, false, "manual", farm.perform);
    await waiting(POLLS);
    letGo();
    expect(await switched).toMatchObject({ confirmed: true });
    await polled;
    expect(since(before).slice(0, 3)).toEqual(["poll", "write all", "read 0"]);
  });

  // @proves farm.schedule.priority
  test("an OFF goes out before the ON of another board that has waited longer", async () => {
    const other = await farm.core.book.create(
      { ...shedRelays(addresses), name: "Other relays", polling_interval_ms: SELDOM },
      "test",
    );
    await turn(3, true);
    const before = present();
    const { letGo, polled } = await holdWireWithPolls();
    const on = turn(5, true, other.id);
    await waiting(POLLS);
    const off = turn(3, false);
    await waiting(POLLS + 1);
    letGo();
    await Promise.all([on, off, polled]);
    const wire = since(before).filter((each) => each !== "poll");
    expect(wire[0]).toBe("off 3");
    expect(wire.indexOf("off 3")).toBeLessThan(wire.indexOf("on 5"));
  });
});

describe("two orders to one board at the same moment", () => {
  /** The coil of each exchange, runs of the same one counted once. */
  const coilsInTurn = (wire: readonly string[]): string[] =>
    wire.map((each) => each.split(" ")[1] ?? "").filter((coil, i, all) => coil !== all[i - 1]);

  test("two OFFs: each is written and read back before the other is written", async () => {
    await turn(1, true);
    await turn(2, true);
    const before = present();
    const { letGo, polled } = await holdWireWithPolls();
    const orders = [turn(1, false), turn(2, false)];
    await waiting(POLLS);
    letGo();
    for (const answer of await Promise.all(orders)) expect(answer).toMatchObject({ confirmed: true });
    await polled;
    const wire = since(before).filter((each) => each !== "poll");
    expect(wire).toEqual(["off 1", "read 1", "read 1", "off 2", "read 2", "read 2"]);
    expect([sim.isClosed("shed", 1, 2), sim.isClosed("shed", 1, 3)]).toEqual([false, false]);
  });

  test("a welded contact's second try still belongs to its own order", async () => {
    await turn(1, true);
    await turn(2, true);
    sim.unit("shed", 1, { stuck: [2] });
    const before = present();
    const { letGo, polled } = await holdWireWithPolls();
    const [welded, free] = [turn(1, false).catch(({ code }: { code: string }) => code), turn(2, false)];
    await waiting(POLLS);
    letGo();
    expect(await welded).toBe("DEVICE_UNCONFIRMED");
    expect(await free).toMatchObject({ confirmed: true });
    await polled;
    const wire = since(before).filter((each) => each !== "poll");
    expect(wire.slice(0, 3)).toEqual(["off 1", "read 1", "off 1"]);
    expect(coilsInTurn(wire)).toEqual(["1", "2"]);
  });
});
