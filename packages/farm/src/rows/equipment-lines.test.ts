import { createManualClock, millis, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import type { TrialFarm } from "../testing/trial-farm.ts";
import { createEquipmentLines } from "./equipment-lines.ts";
import { equipmentRow, equipmentSummary, findEquipment } from "./equipment-row.ts";
import { wireShape } from "./wire-shape.ts";

const by = "anna";
const clock = createManualClock();
let farm: TrialFarm;
beforeEach(async () => void (farm = await startBoardFarm(clock)));
afterEach(() => farm.stop());

// @proves farm.tool.rows-equipment farm.model.wire-types
test("rows that are kept are the rows that would be made, after every kind of change", async () => {
  const { core } = farm;
  const lines = createEquipmentLines(core);
  const board = await core.book.create(BOARD, by);
  const probe = await core.book.create({ name: 'A "probe"', register_mappings: [{ name: "t", register: 1 }] }, by);
  const zone = await core.zones.create({ name: "Shed" }, by);
  const changes: (() => unknown)[] = [
    () => clock.advance(millis(10)),
    () => core.readings.posted(probe, [{ name: "t", value: 1.5, unit: "C", at: clock.now() }]),
    () => clock.advance(seconds(3)), // nothing happens to the probe, its reading ages
    () => core.zones.link(zone.id, probe.id, by),
    () => core.zones.update(zone.id, { name: "Barn" }, by),
    () => core.zones.remove(zone.id, by),
    () => core.book.label(board.id, { "1": "Fan" }, by),
    () => core.book.toggle(probe.id, { "1": false }, by),
    () => core.relays.switch({ equipmentId: board.id, channel: 0, state: true, source: "manual" }, farm.perform),
    () => core.book.update(board.id, { slave_id: 9 }, by, { force: true }), // dead: warning, error, offline
    () => clock.advance(seconds(2)),
    () => clock.advance(seconds(90)),
    () => core.book.update(probe.id, { enabled: false }, by),
    () => core.book.remove(board.id, { force: true, by }),
  ];
  const seen = new Set<string>();
  for (const change of changes) {
    await change();
    const found = findEquipment({}, core);
    const fresh = found.map((each) => equipmentRow(each, core));
    expect(found.map(lines.row)).toEqual(fresh);
    expect(found.map(lines.summary)).toEqual(found.map((each) => equipmentSummary(each, core)));
    expect(lines.json(found, "parsed")).toBe(JSON.stringify(fresh));
    expect(`"${lines.escaped(found, "parsed")}"`).toBe(JSON.stringify(JSON.stringify(fresh)));
    expect(lines.json(found, "wire")).toBe(JSON.stringify(fresh.map((row) => wireShape(row))));
    seen.add(lines.json(found, "parsed"));
  }
  expect(seen.size).toBe(changes.length); // each of them could be seen
});

test("a row is made once for many questions", async () => {
  const probe = await farm.core.book.create({ name: "Probe" }, by);
  const lines = createEquipmentLines(farm.core);
  expect(lines.row(probe)).toBe(lines.row(probe));
});
