import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForWriting } from "../sqlite/open-database.ts";
import { temporaryDirectory } from "../test-directory.fixture.ts";
import { openForeignDatabase } from "./foreign-database.ts";

const hashes = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir)
      .sort()
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(dir, name)))
          .digest("hex"),
      ]),
  );

/** A database in WAL mode; `leave` lets its program die with the log still beside it. */
function someDatabase(dir: string, { leave = false } = {}): { file: string; close(): void } {
  const file = join(dir, "old.db");
  const db = openForWriting(file);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, weight REAL, bytes BLOB)");
  db.exec("CREATE VIEW endless AS SELECT * FROM things");
  db.exec(
    "CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO pairs VALUES (2, 1)",
  );
  const add = db.prepare("INSERT INTO things (name, weight, bytes) VALUES (?, ?, ?)");
  for (let n = 1; n <= 1_000; n++) add.run(`thing ${n}`, n / 2, n === 7 ? Buffer.from([1]) : null);
  db.exec("DELETE FROM things WHERE id = 1000");
  if (!leave) db.close();
  return { file, close: () => void db.close() };
}

test("a database with its log beside it is read whole, and nothing beside it changes by a byte", async () => {
  const source = temporaryDirectory();
  const work = temporaryDirectory();
  const { file, close } = someDatabase(source, { leave: true });
  const before = hashes(source);
  expect(Object.keys(before)).toContain("old.db-wal");
  const foreign = await openForeignDatabase({ file, workIn: work });
  expect(foreign.tables).toEqual(["pairs", "things"]);
  expect(foreign.count("things")).toBe(999);
  expect([...foreign.rows("pairs")]).toEqual([{ a: 2, b: 1 }]);
  expect(foreign.lastId("pairs")).toBe(0);
  expect(foreign.lastId("things")).toBe(1_000);
  const rows = [...foreign.rows("things")];
  expect(rows).toHaveLength(999);
  expect(rows[0]).toEqual({ id: 1, name: "thing 1", weight: 0.5, bytes: null });
  expect(rows[6]?.["bytes"]).toBeInstanceOf(Uint8Array);
  await foreign.close();
  expect(hashes(source)).toEqual(before);
  expect(readdirSync(work)).toEqual([]);
  close();
});

test("a database that was closed leaves no log behind where it lies", async () => {
  const source = temporaryDirectory();
  const { file } = someDatabase(source);
  const before = hashes(source);
  const foreign = await openForeignDatabase({ file, workIn: temporaryDirectory() });
  for (const row of foreign.rows("things")) if (row["id"] === 3) break; // leaving early frees the table
  expect(foreign.count("things")).toBe(999);
  await foreign.close();
  expect(hashes(source)).toEqual(before);
});

test("what is no database, and what is not there, is refused and leaves no copy", async () => {
  const dir = temporaryDirectory();
  const workIn = join(dir, "work");
  const file = join(dir, "notes.txt");
  writeFileSync(file, "These are only notes. ".repeat(400));
  for (const given of [file, join(dir, "missing.db"), dir]) {
    await expect(openForeignDatabase({ file: given, workIn })).rejects.toMatchObject({ code: "SOURCE_UNREADABLE" });
  }
  expect(readdirSync(workIn)).toEqual([]);
});

test("a damaged page is an error when it is reached, not a short answer", async () => {
  const dir = temporaryDirectory();
  const { file } = someDatabase(dir);
  const bytes = readFileSync(file);
  bytes.fill(0xa5, bytes.length - 4096 * 4, bytes.length - 4096);
  writeFileSync(file, bytes);
  const foreign = await openForeignDatabase({ file, workIn: temporaryDirectory() });
  expect(() => [...foreign.rows("things")]).toThrow(expect.objectContaining({ code: "SOURCE_UNREADABLE" }));
  await foreign.close();
});

test("a database that is written while it is copied is refused", async () => {
  const dir = temporaryDirectory();
  const { file } = someDatabase(dir);
  const opening = openForeignDatabase({ file, workIn: temporaryDirectory() });
  // Copying takes several turns; every one of them sees another time.
  let done = false;
  const settled = opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  void settled.finally(() => (done = true));
  for (let n = 1; !done; n++) {
    utimesSync(file, n, n);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await settled).toMatchObject({ code: "SOURCE_BUSY", retryable: true });
  expect(existsSync(file)).toBe(true);
});
