import { createManualClock, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createTrialFarm } from "../testing/trial-farm.ts";
import type { NewAlert } from "./alerts.ts";

const clock = createManualClock();
const farm = () => createTrialFarm({ clock }).core;
const by = "anna";

// @proves farm.zone.many-to-many
test("equipment can be in many zones, each pair once", async () => {
  const { zones, book } = farm();
  const [north, south] = [await zones.create({ name: "North" }, by), await zones.create({ name: "South" }, by)];
  const { id } = await book.create({ name: "Probe" }, by);
  await zones.link(south.id, id, by);
  await zones.link(north.id, id, by);
  expect(book.get(id).zone_ids).toEqual([south.id, north.id]);
  await expect(zones.link(north.id, id, by)).rejects.toMatchObject({ code: "ALREADY_LINKED" });
  await expect(zones.link(99, id, by)).rejects.toMatchObject({ code: "ZONE_UNKNOWN" });
  await expect(zones.link(north.id, 99, by)).rejects.toMatchObject({ code: "EQUIPMENT_UNKNOWN" });
  await zones.unlink(south.id, id, by);
  await expect(zones.unlink(south.id, id, by)).rejects.toMatchObject({ code: "LINK_UNKNOWN" });
});

// @proves farm.zone.delete farm.alert.links-nulled
test("a zone that is deleted leaves its children without a parent, its links gone and its alerts without it", async () => {
  const { zones, book, alerts } = farm();
  const top = await zones.create({ name: "Field" }, by);
  const child = await zones.create({ name: "Bed", parent_id: top.id }, by);
  const { id } = await book.create({ name: "Probe" }, by);
  await zones.link(top.id, id, by);
  const alert = await alerts.raise({
    severity: "info",
    message: "dry",
    source: "rest",
    zoneId: top.id,
    equipmentId: id,
  });
  await zones.remove(top.id, by);
  expect(zones.get(child.id).parent_id).toBeNull();
  expect(book.get(id).zone_ids).toEqual([]);
  await book.remove(id, { force: false, by });
  expect(alerts.get(alert.id)).toMatchObject({ zone_id: null, equipment_id: null });
});

// @proves farm.zone.cycles
test("no zone can be inside itself, however long the way round", async () => {
  const { zones } = farm();
  const a = await zones.create({ name: "a" }, by);
  const b = await zones.create({ name: "b", parent_id: a.id }, by);
  const c = await zones.create({ name: "c", parent_id: b.id }, by);
  for (const parent of [a, b, c]) {
    await expect(zones.update(a.id, { parent_id: parent.id }, by)).rejects.toMatchObject({ code: "BAD_INPUT" });
  }
  await expect(zones.create({ name: "d", parent_id: 99 }, by)).rejects.toMatchObject({ code: "ZONE_UNKNOWN" });
  expect(zones.within("B")).toEqual(new Set([b.id, c.id]));
  expect(zones.within(String(a.id))).toEqual(new Set([a.id, b.id, c.id]));
});

// @proves farm.model.ids
test("ids rise, survive a restart and are never given again", async () => {
  const first = createTrialFarm({ clock });
  const one = await first.core.book.create({ name: "one" }, by);
  await first.core.book.remove(one.id, { force: false, by });
  const two = await first.core.book.create({ name: "two" }, by);
  expect(two.id).toBe(one.id + 1);
  await first.core.book.remove(two.id, { force: false, by });
  const again = createTrialFarm({ clock, ledger: first.ledger });
  expect((await again.core.book.create({ name: "three" }, by)).id).toBe(two.id + 1);
  expect(again.core.book.list().map(({ name }) => name)).toEqual(["three"]);
});

const dry: NewAlert = { severity: "warning", message: "dry", source: "threshold", fingerprint: "dry:1" };

// @proves farm.alert.fingerprint farm.alert.new-after-clear farm.alert.cleared
test("the same cause counts up while it lasts, and is a fresh alert after it was cleared", async () => {
  const { alerts } = farm();
  const first = await alerts.raise(dry);
  await clock.advance(seconds(5));
  const second = await alerts.raise(dry);
  expect(second).toMatchObject({ id: first.id, count: 2, created_at: first.created_at });
  expect(second.last_seen_at - first.last_seen_at).toBe(5_000);
  await alerts.acknowledge(first.id, by);
  await alerts.clear("dry:1");
  expect(alerts.get(first.id)).toMatchObject({ acknowledged: true, acknowledged_by: by });
  expect(alerts.get(first.id).cleared_at).not.toBeNull();
  expect((await alerts.raise(dry)).id).toBe(first.id + 1);
});

// @proves farm.alert.active-until-acknowledged
test("an alert that has cleared stays active until somebody has acknowledged it", async () => {
  const { alerts } = farm();
  const { id } = await alerts.raise(dry);
  await alerts.clear("dry:1");
  expect(alerts.list({ acknowledged: false }).map((alert) => alert.id)).toEqual([id]);
  await alerts.acknowledge(id, by);
  expect(alerts.list({ acknowledged: false })).toEqual([]);
  await expect(alerts.acknowledge(id, by)).rejects.toMatchObject({ code: "ALREADY_ACKNOWLEDGED" });
  await expect(alerts.acknowledge(99, by)).rejects.toMatchObject({ code: "ALERT_UNKNOWN" });
});

// @proves farm.alert.severity-at-save
test("a severity outside the three is refused", async () => {
  const { alerts } = farm();
  const odd = { ...dry, severity: "fatal" } as unknown as NewAlert;
  await expect(alerts.raise(odd)).rejects.toMatchObject({ code: "BAD_INPUT" });
  expect(alerts.list()).toEqual([]);
});

test("a cause that lasts is written down once a minute, not with every reading", async () => {
  const trial = createTrialFarm({ clock });
  const { alerts } = trial.core;
  const { id } = await alerts.raise(dry);
  const onDisk = () => trial.ledger.get("farm.alerts", String(id).padStart(12, "0"))?.value;
  for (let i = 0; i < 59; i += 1) {
    await clock.advance(seconds(1));
    await alerts.raise(dry);
  }
  expect(alerts.get(id).count).toBe(60);
  expect(onDisk()).toMatchObject({ count: 1 });
  await clock.advance(seconds(1));
  await alerts.raise(dry);
  expect(onDisk()).toMatchObject({ count: 61 });
});

test("open alerts are known after a restart, so a cause that lasts does not alert twice", async () => {
  const first = createTrialFarm({ clock });
  const { id } = await first.core.alerts.raise(dry);
  const again = createTrialFarm({ clock, ledger: first.ledger });
  expect(await again.core.alerts.raise(dry)).toMatchObject({ id, count: 2 });
});
