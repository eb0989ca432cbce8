import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { HISTORY_SCHEMA } from "./history/history-schema.ts";
import { STATE_SCHEMA } from "./ledger/state-schema.ts";
import { openForReading } from "./sqlite/open-database.ts";
import { openTestStore, temporaryDirectory } from "./test-directory.fixture.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
const versions = (schema: { migrations: readonly unknown[] }) => schema.migrations.map((_, i) => i + 1);

// @proves store.migration.fixture-per-released-schema
test.each(versions(STATE_SCHEMA))("state of schema %i becomes the present one and loses nothing", async (version) => {
  const dir = temporaryDirectory();
  copyFileSync(join(FIXTURES, `state-schema-${version}.db`), join(dir, "state.db"));
  const { ledger } = await openTestStore(dir);
  expect(ledger.list("thing")).toHaveLength(20);
  expect(ledger.get("thing", "k/7")?.value).toEqual({ n: 7 });
  for (const stream of ["audit", "runs", "bus"] as const) {
    expect(ledger.lastSeq(stream)).toBe(20);
    const records = ledger.records(stream);
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(records[4]).toMatchObject({ kind: "fixture", correlation: "run-1", data: { n: 4, level: "error" } });
  }
  const next = await ledger.commit({ durability: "fixed", records: [{ stream: "bus", kind: "on", at: 1, data: {} }] });
  expect(next.seqs).toEqual([21]);
});

// @proves store.migration.fixture-per-released-schema
test.each(versions(HISTORY_SCHEMA))(
  "history of schema %i becomes the present one and loses nothing",
  async (version) => {
    const dir = temporaryDirectory();
    copyFileSync(join(FIXTURES, `history-schema-${version}.db`), join(dir, "history.db"));
    const { history } = await openTestStore(dir);
    const end = Date.UTC(2026, 0, 1);
    const path = "/farm/tank/level";
    expect(await history.summary({ path, from: end - 7_200_000, to: end })).toMatchObject({
      count: 200,
      min: 0,
      max: 199,
    });
    expect(history.latest(path)?.value).toBe(199);
  },
);

// @proves store.migration.backup-first
test("before anything is migrated there is a backup of it as it was", async () => {
  const dir = temporaryDirectory();
  copyFileSync(join(FIXTURES, "state-schema-1.db"), join(dir, "state.db"));
  await openTestStore(dir);
  expect(readdirSync(join(dir, "backups"))).toEqual(["state-schema-1-2026-01-01T00-00-00-000Z.db"]);
  const backup = openForReading(join(dir, "backups", "state-schema-1-2026-01-01T00-00-00-000Z.db"));
  expect(backup.pragma("user_version", { simple: true })).toBe(1);
  expect(backup.prepare("SELECT count(*) FROM state WHERE space = 'thing'").pluck().get()).toBe(20);
  backup.close();
});

test("nothing to migrate, nothing to back up", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir);
  await store.close();
  await openTestStore(dir);
  expect(existsSync(join(dir, "backups"))).toBe(false);
});

test("a part's entries are brought to its present shape, once, after a backup", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock });
  const puts = Array.from({ length: 1_200 }, (_, n) => ({ space: "farm.valve", key: `v${n}`, value: { litres: n } }));
  await store.ledger.commit({ durability: "fixed", puts });
  let ran = 0;
  const farm = {
    owner: "farm",
    steps: [
      {
        says: "flow is per minute",
        migrate(state: { entries(space: string): Iterable<{ key: string; entry: { value: unknown } }> }) {
          ran++;
          const found = [...state.entries("farm.valve")];
          return { puts: found.map(({ key }) => ({ space: "farm.valve", key, value: { perMinute: true } })) };
        },
      },
    ],
  };
  await store.migrateParts([farm]);
  await store.migrateParts([farm]);
  expect(ran).toBe(1);
  expect(store.ledger.get("farm.valve", "v1199")?.value).toEqual({ perMinute: true });
  expect(readdirSync(join(dir, "backups"))).toEqual(["before-parts-2026-01-01T00-00-00-000Z"]);
  await expect(store.migrateParts([{ owner: "farm", steps: [] }])).rejects.toMatchObject({ code: "SCHEMA_NEWER" });
});
