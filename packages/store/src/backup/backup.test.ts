import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createManualClock, days, hours } from "@steading/kernel";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { cancelRestore, stageRestore } from "./stage-restore.ts";

const clock = createManualClock();

async function put(store: Store, n: number): Promise<void> {
  await store.ledger.commit({
    durability: "kept",
    puts: [{ space: "thing", key: `k/${String(n).padStart(6, "0")}`, value: n }],
    records: [{ stream: "audit", kind: "put", at: clock.now(), data: { n } }],
  });
}

async function filled(dir: string, count: number): Promise<Store> {
  const store = await openTestStore(dir, { clock });
  for (let n = 0; n < count; n++) await put(store, n);
  await store.history.append([{ path: "/a", at: clock.now(), value: count, quality: "good" }]);
  return store;
}

// @proves store.backup.on-running-hub
test("a backup made while others write is of one moment", async () => {
  const dir = temporaryDirectory();
  const store = await filled(dir, 50);
  let writing = true;
  let n = 50;
  const writers = [1, 2, 3].map(async () => {
    while (writing) await put(store, n++);
  });
  const to = join(temporaryDirectory(), "backup");
  const manifest = await store.backup(to);
  writing = false;
  await Promise.all(writers);

  expect(readdirSync(to).sort()).toEqual(["history.db", "manifest.json", "state.db"]);
  for (const name of readdirSync(to)) expect(statSync(join(to, name)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(to, "manifest.json"), "utf8"))).toEqual(manifest);
  expect(manifest).toMatchObject({ format: 1, madeAt: clock.now(), epoch: store.epoch });

  const other = temporaryDirectory();
  await stageRestore({ dir: other, from: to, clock });
  const restored = await openTestStore(other, { clock });
  const audit = restored.ledger.records("audit").filter(({ kind }) => kind === "put");
  expect(audit.length).toBeGreaterThanOrEqual(50);
  expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1));
  const entries = restored.ledger.list("thing");
  expect(entries.map(({ entry }) => entry.value)).toEqual(
    audit.map(({ data }) => data["n"]).sort((a, b) => Number(a) - Number(b)),
  );
  expect(restored.history.latest("/a")?.value).toBe(50);
});

// @proves store.restore.stages store.restore.applies-at-restart store.restore.disarmed store.restore.new-epoch
test("a restore changes nothing until the next start, which comes up disarmed and in a new epoch", async () => {
  const dir = temporaryDirectory();
  const store = await filled(dir, 10);
  const from = join(temporaryDirectory(), "backup");
  const madeAt = clock.now();
  await store.backup(from);
  for (let n = 10; n < 15; n++) await put(store, n);
  await clock.advance(hours(5));

  const staged = await stageRestore({ dir, from, clock });
  expect(staged.backup.madeAt).toBe(madeAt);
  expect(store.ledger.list("thing")).toHaveLength(15);
  await put(store, 15);
  expect(store.disarmed()).toBeUndefined();
  await store.close();

  const restored = await openTestStore(dir, { clock });
  expect(restored.ledger.list("thing")).toHaveLength(10);
  expect(restored.epoch).not.toBe(store.epoch);
  expect(restored.disarmed()).toEqual({
    since: clock.now(),
    because: "restore",
    backupMadeAt: madeAt,
    timersDropped: 0,
  });
  expect(restored.ledger.records("audit").at(-1)).toMatchObject({
    kind: "store.restored",
    data: { epoch: restored.epoch },
  });
  await restored.close();

  const again = await openTestStore(dir, { clock });
  expect(again.epoch).toBe(restored.epoch);
  expect(again.disarmed()).toMatchObject({ backupMadeAt: madeAt });
  await again.arm("anna");
  await again.arm("anna");
  expect(again.disarmed()).toBeUndefined();
  expect(again.ledger.records("audit").filter(({ kind }) => kind === "store.armed")).toHaveLength(1);
  await again.close();

  // What was there before the restore is still to be had.
  const [before = ""] = readdirSync(dir).filter((name) => name.startsWith("before-restore-"));
  const old = await openTestStore(join(dir, before), { clock });
  expect(old.ledger.list("thing")).toHaveLength(16);
});

test("a restore that was cut short is carried on by the next start", async () => {
  const dir = temporaryDirectory();
  const store = await filled(dir, 5);
  const from = join(temporaryDirectory(), "backup");
  await store.backup(from);
  await put(store, 5);
  await store.close();
  await stageRestore({ dir, from, clock });
  // As if killed after the history was placed and the old state moved away, but before the staged state was placed.
  const before = join(dir, `before-restore-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(before);
  renameSync(join(dir, "history.db"), join(before, "history.db"));
  renameSync(join(dir, "restore", "history.db"), join(dir, "history.db"));
  renameSync(join(dir, "state.db"), join(before, "state.db"));

  const restored = await openTestStore(dir, { clock });
  expect(restored.ledger.list("thing")).toHaveLength(5);
  expect(restored.disarmed()).toBeDefined();
  expect(existsSync(join(dir, "restore"))).toBe(false);
});

test("what is not a backup, was changed, or is newer is not staged", async () => {
  const dir = temporaryDirectory();
  const store = await filled(dir, 5);
  const place = temporaryDirectory();
  const from = join(place, "backup");
  await store.backup(from);
  await expect(store.backup(from)).rejects.toMatchObject({ code: "BACKUP_INVALID" });
  await expect(stageRestore({ dir, from: place, clock })).rejects.toMatchObject({ code: "BACKUP_INVALID" });

  const manifest = readFileSync(join(from, "manifest.json"), "utf8");
  const newer = manifest.replaceAll(/"schema": \d+/g, '"schema": 99');
  writeFileSync(join(from, "manifest.json"), newer);
  await expect(stageRestore({ dir, from, clock })).rejects.toMatchObject({ code: "SCHEMA_NEWER" });

  writeFileSync(join(from, "manifest.json"), manifest);
  appendFileSync(join(from, "state.db"), "x");
  await expect(stageRestore({ dir, from, clock })).rejects.toThrow("it was changed or cut");
  expect(existsSync(join(dir, "restore"))).toBe(false);
});

test("a staged restore can be called off", async () => {
  const dir = temporaryDirectory();
  const store = await filled(dir, 3);
  const from = join(temporaryDirectory(), "backup");
  await store.backup(from);
  await put(store, 3);
  await stageRestore({ dir, from, clock });
  expect(cancelRestore(dir)).toBe(true);
  expect(cancelRestore(dir)).toBe(false);
  await store.close();
  await clock.advance(days(1));
  const after = await openTestStore(dir, { clock });
  expect(after.ledger.list("thing")).toHaveLength(4);
  expect(after.epoch).toBe(store.epoch);
});
