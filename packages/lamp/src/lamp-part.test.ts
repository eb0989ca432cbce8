import { createManualClock, millis, seconds, silentLog } from "@steading/kernel";
import { createGraph } from "@steading/subjects";
import { expect, test } from "vitest";
import { createLampPart } from "./lamp-part.ts";
import { createLampPlace, doorOn, during } from "./testing/lamp-place.ts";
import { createScriptedLamp } from "./testing/scripted-lamp.ts";

function seen({ property }: Awaited<ReturnType<typeof createLampPlace>>) {
  const found = property();
  if (!("property" in found) || found.property === undefined) return expect.fail("the lamp is not in the graph");
  const { value, quality, source } = found.property;
  return { value, quality, source };
}

test("a lamp is mounted with its type, its interface and what it says about itself", async () => {
  const at = await createLampPlace();
  const subject = at.graph.find("/lamps/hall");
  expect(subject?.$info).toMatchObject({ type: "steading.lamp.Lamp", title: "Hall lamp", icon: "lightbulb" });
  expect(subject?.$info.interfaces).toEqual(["steading.Switch"]);
  expect(seen(at)).toEqual({ value: false, quality: "good", source: "lamp:hall" });
  expect(at.part.health()).toEqual({ status: "ok" });
  await at.tidy();
});

test("switching on is sent once, read back, and seen in the graph", async () => {
  const at = await createLampPlace();
  at.lamp.lines.length = 0;
  const result = await during(at.clock, seconds(5), at.write(true));
  expect(result).toMatchObject({
    status: "confirmed",
    value: true,
    outcome: { receipt: { stage: "observed", observed: true }, before: false },
  });
  expect(at.lamp.lines).toEqual(["1", "?"]);
  expect(seen(at)).toMatchObject({ value: true, quality: "good" });
  await at.tidy();
});

test("a lamp that says yes and stays dark is never reported as on", async () => {
  const at = await createLampPlace();
  at.lamp.lying = true;
  await expect(during(at.clock, seconds(20), at.write(true))).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(at.door.actions({ limit: 1 })[0]?.receipt.stage).toBe("unknown");
  expect(seen(at)).toMatchObject({ value: false });
  await at.tidy();
});

test("after a silent lamp a repeat with the same key looks and does not send", async () => {
  const at = await createLampPlace();
  at.lamp.silent = true;
  await expect(during(at.clock, seconds(20), at.write(true, "k1"))).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(at.lamp.lines.filter((line) => line === "1")).toHaveLength(1);
  at.lamp.silent = false;
  const again = await during(at.clock, seconds(20), at.write(true, "k1"));
  expect(again.outcome?.receipt).toMatchObject({ stage: "observed", observed: true });
  expect(at.lamp.lines.filter((line) => line === "1")).toHaveLength(1);
  await at.tidy();
});

// @proves subjects.row.s9 subjects.error.source-unavailable
test("a lamp that is away refuses before the first byte, and the key stays free", async () => {
  const at = await createLampPlace();
  at.lamp.away = true;
  at.lamp.hangUp();
  await at.clock.advance(seconds(1));
  await expect(during(at.clock, seconds(5), at.write(true, "k1"))).rejects.toMatchObject({
    code: "SOURCE_UNAVAILABLE",
  });
  expect(at.lamp.lines.filter((line) => line === "1")).toEqual([]);
  expect(seen(at)).toMatchObject({ value: false });
  expect(at.part.health()).toMatchObject({ status: "degraded", reason: expect.stringContaining("hall") });
  at.lamp.away = false;
  await at.clock.advance(seconds(10));
  const result = await during(at.clock, seconds(5), at.write(true, "k1"));
  expect(result.outcome?.receipt.stage).toBe("observed");
  await at.tidy();
});

// @proves subjects.mounts.source-gone kernel.journal.readings-are-not-records
test("what somebody else switched is seen at the next look, and a lamp that is gone leaves a stale value", async () => {
  const at = await createLampPlace();
  at.lamp.on = true;
  await at.clock.advance(seconds(6));
  expect(seen(at)).toMatchObject({ value: true, quality: "good" });
  at.lamp.away = true;
  at.lamp.hangUp();
  await at.clock.advance(millis(100));
  expect(seen(at)).toMatchObject({ value: true, quality: "stale" });
  at.lamp.away = false;
  await at.clock.advance(seconds(10));
  expect(seen(at)).toMatchObject({ value: true, quality: "good" });
  expect((["audit", "runs", "bus"] as const).map((stream) => at.ledger.lastSeq(stream))).toEqual([0, 0, 0]);
  await at.tidy();
});

test("a connection that is lost and made again is looked through at once", async () => {
  const at = await createLampPlace();
  at.lamp.on = true;
  at.lamp.hangUp();
  await at.clock.advance(millis(100));
  expect(seen(at)).toMatchObject({ value: true, quality: "good" });
  await at.tidy();
});

// @proves kernel.part.health-honest
test("a lamp that is connected and says nothing is not well", async () => {
  const at = await createLampPlace();
  at.lamp.silent = true;
  await at.clock.advance(seconds(7));
  expect(at.part.health()).toMatchObject({ status: "degraded", reason: "1 do not answer: hall." });
  expect(seen(at)).toMatchObject({ quality: "stale" });
  await at.tidy();
});

// @proves kernel.value.missing-says-so
test("a lamp that was never seen does not hold the start up and its value is unknown", async () => {
  const at = await createLampPlace({ away: true });
  expect(seen(at)).toMatchObject({ value: null, quality: "unknown" });
  await expect(during(at.clock, seconds(5), at.write(true))).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  at.lamp.away = false;
  await at.clock.advance(seconds(10));
  expect(seen(at)).toMatchObject({ value: false, quality: "good" });
  await at.tidy();
});

test("off is towards safe and passes where on is refused", async () => {
  const at = await createLampPlace({ access: "read" });
  at.lamp.on = true;
  await at.clock.advance(seconds(6));
  await expect(during(at.clock, seconds(5), at.write(true))).rejects.toMatchObject({ code: "SERVER_READ_ONLY" });
  const off = await during(at.clock, seconds(5), at.write(false));
  expect(off.outcome?.receipt).toMatchObject({ stage: "observed", observed: false });
  await at.tidy();
});

test("after a crash the lamp is looked at, and nothing is sent again", async () => {
  const crashed = await createLampPlace();
  crashed.lamp.silent = true;
  const dying = crashed.write(true, "k1");
  dying.catch(() => {});
  await crashed.clock.advance(millis(10));
  expect(crashed.lamp.lines).toContain("1");

  // The same ledger under another door, as a fresh process finds it.
  const clock = createManualClock(crashed.clock.now());
  const { reception, door } = doorOn(crashed.ledger, clock, () => "write");
  const graph = createGraph({ clock, log: silentLog });
  const lamp = createScriptedLamp();
  lamp.on = true;
  const part = createLampPart({
    graph,
    door,
    reception,
    clock,
    log: silentLog,
    lamps: [{ name: "hall", host: "unused", port: 1 }],
    dial: () => lamp.dial,
  });
  const stop = new AbortController();
  await during(clock, seconds(1), part.start(stop.signal));
  const { inDoubt } = await during(clock, seconds(20), door.recover(stop.signal));
  expect(inDoubt).toEqual([]);
  expect(door.actions({ limit: 1 })[0]?.receipt).toMatchObject({ stage: "observed", observed: true });
  expect(lamp.lines).not.toContain("1");
  stop.abort();
  await during(clock, seconds(10), part.stop());
  await crashed.tidy();
});
