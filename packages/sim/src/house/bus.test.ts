import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { createHouse, type House } from "./house.ts";
import { createManualHouseClock, type ManualHouseClock } from "./manual-clock.ts";
import { createRig, type Rig } from "./testing/rig.ts";

let house: House | undefined;
let rig: Rig | undefined;
afterEach(async () => {
  await house?.stop();
  await rig?.close();
  house = rig = undefined;
});

async function quietHouse(): Promise<{ house: House; clock: ManualHouseClock }> {
  const clock = createManualHouseClock();
  const made = createHouse({ clock, knobs: { traffic: false } });
  house = made;
  await made.start();
  return { house: made, clock };
}

// @proves ebus.house.syn-interval
test("an idle bus carries a SYN every 40 ms and nothing else", async () => {
  const { house: quiet, clock } = await quietHouse();
  const start = clock.now();
  const heard: [number, number][] = [];
  quiet.bus.watch((symbol, at) => heard.push([symbol, at - start]));
  clock.advance(200);
  expect(heard).toEqual([
    [0xaa, 40],
    [0xaa, 80],
    [0xaa, 120],
    [0xaa, 160],
    [0xaa, 200],
  ]);
});

// @proves ebus.house.one-stream
test("every host hears every symbol, its own included", async () => {
  rig = await createRig({ port: "plain" });
  const others: number[][] = [[], []];
  for (const other of others) rig.house.connect("plain", (bytes) => other.push(...bytes));
  const before = rig.raw.length;
  await rig.ask("15 07 04 00");
  expect(rig.raw.length - before).toBeGreaterThan(19);
  for (const other of others) expect(other).toEqual(rig.raw.slice(before));
});

// @proves ebus.house.arbitration-and
test("addresses sent in one slot merge by AND, and the lower one goes on", async () => {
  const { house: quiet, clock } = await quietHouse();
  const heard: number[][] = [[], []];
  const hosts = heard.map((bytes) => quiet.connect("plain", (piece) => bytes.push(...piece)));
  clock.advance(40);
  hosts[0]?.receive([0x31]);
  hosts[1]?.receive([0x33]);
  clock.advance(5);
  expect(heard).toEqual([
    [0xaa, 0x31],
    [0xaa, 0x31],
  ]);
  hosts[0]?.receive([0x15, 0x07, 0x04, 0x00, 0x8b]);
  clock.advance(500);
  expect(quiet.exchanges.at(-1)).toMatchObject({ source: 0x31, target: 0x15, acks: ["00"] });
});

test("two that both lose leave a third address on the wire, which nobody uses", async () => {
  const { house: quiet, clock } = await quietHouse();
  const heard: number[] = [];
  const [one, other] = [0, 1].map(() => quiet.connect("enh", (bytes) => heard.push(...bytes)));
  one?.receive([0xc9, 0xbf]); // START 7F
  other?.receive([0xcb, 0xb1]); // START F1
  clock.advance(50);
  // FAILED 71, twice: 7F and F1 make 71
  expect(heard.filter((byte) => byte >= 0xe8)).toEqual([0xe9, 0xe9]);
  expect(quiet.bus.counters).toMatchObject({ arbitrations: 1, collisions: 1 });
  clock.advance(100);
  expect(quiet.exchanges.at(-1)).toMatchObject({ outcome: "fragment", origin: "line", source: 0x71, wire: "71" });
});

test("a house device and a host that want the bus at once: the wire decides, the other tries again", async () => {
  rig = await createRig({ knobs: { traffic: true } });
  const { clock, house: busy } = rig;
  clock.advance(490); // at 500 ms the regulator wants to ask the boiler
  const { outcome, winner } = await rig.ask("15 07 04 00", 0xf7);
  expect([outcome, winner]).toEqual(["lost", 0x10]);
  await clock.run(() => busy.exchanges.length > 0, { stepMs: 5 });
  expect(busy.exchanges[0]).toMatchObject({ origin: "BASV2", source: 0x10, target: 0x08, outcome: "done" });
});

test("an initiator of the house that loses tries again by itself", async () => {
  rig = await createRig({ knobs: { traffic: true } });
  const { clock, house: busy } = rig;
  clock.advance(490);
  const { outcome } = await rig.ask("15 07 04 00", 0x00);
  expect(outcome).toBe("done");
  await clock.run(() => busy.exchanges.length > 1, { stepMs: 5, limitMs: 2_000 });
  expect(busy.exchanges.map(({ source }) => source)).toEqual([0x00, 0x10]);
});

test("a host that takes the bus and says nothing loses it to the next SYN", async () => {
  rig = await createRig({});
  rig.write([0xc9, 0xb1]); // START 71
  rig.clock.advance(1_000);
  expect(rig.house.exchanges).toMatchObject([{ origin: "enh-1", outcome: "fragment", wire: "71" }]);
  expect(await rig.answer("15 07 04 00")).toContain("B5 42 41 53 56 32");
});

test("a host that hangs up in the middle frees the bus at once", async () => {
  const { house: quiet, clock } = await quietHouse();
  const session = quiet.connect("enh", () => {});
  session.receive([0xc9, 0xb1]);
  clock.advance(45);
  session.close();
  clock.advance(40);
  expect(quiet.exchanges).toMatchObject([{ outcome: "fragment" }]);
});

test("any garbage from a host leaves a bus that still answers", async () => {
  for (const port of ["enh", "plain"] as const) {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(60)), { maxLength: 10 }),
        async (bursts) => {
          const one = await createRig({ port });
          for (const [bytes, pause] of bursts) {
            one.write([...bytes]);
            one.clock.advance(pause);
          }
          one.write(port === "enh" ? [0xca, 0xaa] : []); // takes back a START that may be among it
          one.clock.advance(2_000); // what waits for the wire has left by then
          one.client.feed(port === "enh" ? [0xc6, 0xaa] : []);
          let { outcome } = await one.ask("15 07 04 00");
          if (outcome !== "done") ({ outcome } = await one.ask("15 07 04 00"));
          expect(outcome).toBe("done");
          await one.close();
        },
      ),
      { numRuns: 40 },
    );
  }
});

test("more symbols than the wire can take are dropped and counted", async () => {
  const { house: quiet } = await quietHouse();
  const session = quiet.connect("plain", () => {});
  session.receive(new Uint8Array(3_000).fill(0x55));
  expect(quiet.bus.counters.overrun).toBe(3_000 - 1_024);
});

test("the log keeps the newest and counts what it let go", async () => {
  rig = await createRig({ exchangeLogLimit: 8 });
  for (let count = 0; count < 12; count += 1) await rig.ask("08 07 04 00");
  expect(rig.house.exchanges.length).toBeLessThanOrEqual(8);
  expect(rig.house.exchanges.at(-1)?.order).toBe(12);
  expect(rig.house.exchangesDropped + rig.house.exchanges.length).toBe(12);
});
