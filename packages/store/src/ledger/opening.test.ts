import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createManualClock, silentLog, type Log } from "@steading/kernel";
import { expect, test } from "vitest";
import { openForWriting, type Db } from "../sqlite/open-database.ts";
import { openStore } from "../store.ts";
import { openTestStore, soon, temporaryDirectory } from "../test-directory.fixture.ts";

const open = (dir: string) => openStore({ dir, clock: createManualClock(), log: silentLog });

async function filledDirectory(): Promise<string> {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir);
  const puts = Array.from({ length: 500 }, (_, n) => ({ space: "things", key: `k${n}`, value: "x".repeat(200) }));
  await store.ledger.commit({ durability: "fixed", puts });
  await store.close();
  return dir;
}

function inDatabase<T>(dir: string, work: (db: Db) => T): T {
  const db = openForWriting(join(dir, "state.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Overwrites pages in the middle of a large table, behind those that every start reads. */
function damage(dir: string, name = "state.db"): void {
  const file = join(dir, name);
  const bytes = readFileSync(file);
  bytes.fill(0xa5, bytes.length - 4096 * 6, bytes.length - 4096 * 4);
  writeFileSync(file, bytes);
}

// @proves store.files.wal-mode store.files.state-db
test("state is in state.db, in WAL mode", async () => {
  const dir = await filledDirectory();
  expect(inDatabase(dir, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
  expect(inDatabase(dir, (db) => db.prepare("SELECT count(*) FROM state").pluck().get())).toBe(500);
});

// @proves store.migration.newer-schema-refused
test("a newer schema is refused, left as it is, and the directory is free again", async () => {
  const dir = await filledDirectory();
  inDatabase(dir, (db) => db.pragma("user_version = 99"));
  const before = readFileSync(join(dir, "state.db"));
  const refused = open(dir);
  await expect(refused).rejects.toMatchObject({
    code: "SCHEMA_NEWER",
    hint: expect.stringContaining("restore a backup"),
  });
  await expect(refused).rejects.toThrow("state.db has schema 99, this version of Steading knows up to");
  expect(readFileSync(join(dir, "state.db")).equals(before)).toBe(true);
  inDatabase(dir, (db) => db.pragma("user_version = 2"));
  await openTestStore(dir);
});

test("a damaged page is found at opening, and the error says what to do", async () => {
  const dir = await filledDirectory();
  damage(dir);
  await expect(open(dir)).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    hint: expect.stringContaining("restore the latest backup"),
  });
});

test("a damaged page of the history is found at opening, and while it runs by whoever reads it", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir);
  const at = Date.UTC(2026, 0, 1) - 100_000;
  const reading = { path: "/tank", quality: "good" as const };
  const readings = Array.from({ length: 5_000 }, (_, n) => ({ ...reading, at: at + n, value: n * 0.7 }));
  await store.history.append(readings, { durability: "fixed" });
  await store.close();
  damage(dir, "history.db");
  await expect(open(dir)).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    message: expect.stringContaining("history.db"),
    hint: expect.stringContaining("restore the latest backup"),
  });

  const again = await openTestStore(dir, { limits: { checkBytes: 1_000 } });
  const whole = { path: "/tank", from: 0, to: Date.UTC(2026, 0, 1), limit: 10_000 };
  await expect(again.history.range(whole)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  // The ledger is another file: it goes on.
  await again.ledger.commit({ durability: "fixed", puts: [{ space: "things", key: "a", value: 1 }] });
  await soon(() => expect(again.health().reason).toBe("history.db is damaged; restore a backup"));
});

test("a file that is no database, or another program's, is not taken for ours", async () => {
  const dir = temporaryDirectory();
  writeFileSync(
    join(dir, "state.db"),
    "this is a shopping list, and it is long enough to be read as a header".repeat(20),
  );
  await expect(open(dir)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  const other = temporaryDirectory();
  inDatabase(other, (db) => db.exec("CREATE TABLE recipes (name TEXT)"));
  await expect(open(other)).rejects.toThrow("state.db was written by another program");
});

test("a database beyond checkBytes is opened at once and looked through in the background", async () => {
  const dir = await filledDirectory();
  const said: string[] = [];
  const log: Log = { ...silentLog, info: (message) => said.push(message), error: (message) => said.push(message) };
  const store = await openTestStore(dir, { log, limits: { checkBytes: 1_000 } });
  await soon(() => expect(said).toContain("history.db was looked through and is sound."));
  expect(said).toContain("state.db was looked through and is sound.");
  expect(store.health()).toEqual({ status: "ok" });
  await store.close();

  damage(dir);
  const again = await openTestStore(dir, { log, limits: { checkBytes: 1_000 } });
  await soon(() => expect(again.health().status).toBe("degraded"));
  expect(again.health().reason).toBe("state.db is damaged; restore a backup");
  // The damage lies among the last pages of the table; what is before it can still be read.
  expect(() => again.ledger.list("things", { after: "k1" })).toThrow(
    expect.objectContaining({ code: "STORE_CORRUPT" }),
  );
});
