import { createEbusPart, type Dial } from "@steading/ebus";
import { createManualClock, createReception, millis, minutes, seconds, silentLog } from "@steading/kernel";
import { createHouse } from "@steading/sim";
import { expect, test } from "vitest";

/** The part and a house in memory, on one clock that stands still until it is moved. */
async function start(scan: "heard" | "all") {
  const clock = createManualClock(Date.UTC(2026, 2, 5, 16, 0, 44));
  const house = createHouse({
    physics: "frozen",
    clock: { now: () => clock.now(), timer: (ms, fire) => clock.timer(millis(ms), fire) },
  });
  await house.start();
  let hangUp = (): void => {};
  const met: string[] = [];
  const dial: Dial = async () => {
    let ended: (() => void) | undefined;
    let take: ((piece: Uint8Array) => void) | undefined;
    const session = house.connect("enh", (piece) => take?.(Uint8Array.from(piece)));
    hangUp = () => {
      session.close();
      ended?.();
    };
    return {
      write: (piece) => session.receive(piece),
      onPiece: (listener) => (take = listener),
      onEnd: (listener) => (ended = listener),
      close: hangUp,
    };
  };
  const part = createEbusPart({
    adapter: "enh://127.0.0.1",
    dial,
    clock,
    log: silentLog,
    reception: createReception(clock),
    view: { bus() {}, device: ({ deviceId }) => void met.push(deviceId) },
    latencyMs: 0,
    scan,
  });
  await part.start(new AbortController().signal);
  return {
    part,
    house,
    clock,
    /** Devices the view was told of since the last call. */
    met: () => met.splice(0),
    cut: () => hangUp(),
    ids: () => part.devices.map(({ deviceId }) => deviceId),
    async until(holds: () => boolean, limit: number): Promise<void> {
      for (let passed = 0; !holds(); passed += 50) {
        if (passed > limit) throw new Error(`It did not come about within ${limit} ms.`);
        await clock.advance(millis(50));
      }
    },
    async stop(): Promise<void> {
      const stopped = part.stop();
      await clock.advance(millis(0));
      await stopped;
      await house.stop();
    },
  };
}

test("a device that did not answer us while it answered others is found when it does", async () => {
  const place = await start("heard");
  place.house.knobs.faults.silence.arm({ target: 0x08, from: "outside" });
  await place.until(() => place.ids().includes("VR_71"), minutes(2));
  await place.clock.advance(seconds(30));
  expect(place.ids()).not.toContain("BAI00");
  place.house.knobs.faults.silence.disarm();
  await place.until(() => place.ids().includes("BAI00"), minutes(5));
  await place.stop();
});

test("a device that was switched off while every address was asked is found later, without a restart", async () => {
  const place = await start("all");
  place.house.knobs.faults.silence.arm({ target: 0x35 });
  await place.clock.advance(minutes(3));
  expect(place.ids().toSorted()).toEqual(["BAI00", "BASV2", "NETX3", "VR_71"]);
  place.house.knobs.faults.silence.disarm();
  await place.until(() => place.ids().includes("VR_92"), minutes(12));
  await place.stop();
});

test("the usual addresses are asked before all others", async () => {
  const place = await start("all");
  await place.until(() => place.ids().length === 5, seconds(30));
  expect(place.ids().toSorted()).toEqual(["BAI00", "BASV2", "NETX3", "VR_71", "VR_92"]);
  await place.stop();
});

// @proves ebus.pitfall.outage-stale
test("after an outage every device that is still there is told again as soon as it is met, and only then", async () => {
  const place = await start("all");
  const { faults } = place.house.knobs;
  await place.clock.advance(minutes(3));
  expect(place.ids()).toHaveLength(5);
  place.met();
  await place.clock.advance(minutes(3));
  expect(place.met()).toEqual([]); // faces that were found are not asked again while the line holds

  faults.silence.arm({ target: 0x35 });
  place.cut();
  await place.clock.advance(minutes(2));
  expect([...new Set(place.met())].toSorted()).toEqual(["BAI00", "BASV2", "NETX3", "VR_71"]);
  faults.silence.disarm();

  faults.deadLine.arm();
  await place.clock.advance(seconds(3));
  faults.deadLine.disarm();
  await place.clock.advance(minutes(2));
  expect([...new Set(place.met())].toSorted()).toEqual(["BAI00", "BASV2", "NETX3", "VR_71", "VR_92"]);
  await place.stop();
});

test("an outage in the middle of a look at every address: who was known is asked again before the look goes on", async () => {
  const place = await start("all");
  await place.until(() => place.ids().length === 5, seconds(40));
  await place.clock.advance(seconds(5));
  place.met();
  const asked = (): string[] =>
    place.house.exchanges
      .filter(({ origin }) => origin.startsWith("enh-"))
      .flatMap(({ commands }) => commands)
      .filter((command) => command.includes(" 07 04 00"));
  const before = asked().length;
  place.cut();
  await place.until(() => new Set(place.met()).size === 5 || asked().length > before + 30, minutes(1));
  const again = asked().slice(before);
  const faces = ["04", "08", "15", "26", "35", "EC", "F6"].map((face) => `71 ${face} 07 04 00`);
  expect(again.slice(0, faces.length).toSorted()).toEqual(faces);

  // And it goes on where it was broken off: whoever was silent already is not asked a second time.
  await place.clock.advance(minutes(3));
  const silent = asked().filter((command) => !faces.includes(command));
  expect(new Set(silent).size).toBe(228 - faces.length);
  const twice = silent.length - new Set(silent).size;
  expect(twice).toBeLessThanOrEqual(2); // of the search for an address, and the one the outage spoilt
  await place.stop();
});
