import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, stat, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { SteadingError } from "@steading/kernel";
import { readForeign, type ForeignReader, type ForeignRow } from "../sqlite/read-foreign.ts";
import { sqliteCode } from "../sqlite/open-database.ts";
import { storeError } from "../store-errors.ts";

/** Another program's SQLite database, for looking only. */
export interface ForeignDatabase {
  readonly tables: readonly string[];
  count(table: string): number;
  /** In the order of their numbers, one at a time, in constant memory. One table after the other. */
  rows(table: string): Iterable<ForeignRow>;
  /** The highest number that was ever given out in a table, also when its row is gone; 0 where nobody counted. */
  lastId(table: string): number;
  close(): Promise<void>;
}

/** What SQLite keeps beside a database. `-shm` is made anew by whoever opens it. */
const PARTS = ["", "-wal", "-journal"];

/**
 * Opens a copy: SQLite itself would write beside the original as soon as it has a log. Codes: `SOURCE_UNREADABLE`,
 * `SOURCE_BUSY`, `STORE_FULL`.
 */
export async function openForeignDatabase({
  file,
  workIn,
}: {
  readonly file: string;
  /** A directory on a disk with room for the copy. What is put there is gone after `close`. */
  readonly workIn: string;
}): Promise<ForeignDatabase> {
  const before = await lookAt(file);
  await mkdir(workIn, { recursive: true, mode: 0o700 });
  await checkRoom(workIn, before.bytes);
  const dir = await mkdtemp(join(workIn, "import-"));
  const leave = (): Promise<void> => rm(dir, { recursive: true, force: true });
  try {
    const copy = join(dir, "source.db");
    for (const part of before.parts) {
      await copyFile(file + part, copy + part, constants.COPYFILE_FICLONE);
    }
    if ((await lookAt(file)).marks !== before.marks) {
      throw storeError("SOURCE_BUSY", `${basename(file)} was written while it was being read.`);
    }
    return guarded(readForeign(copy), file, leave);
  } catch (error) {
    await leave();
    throw unreadable(error, file);
  }
}

function guarded(reader: ForeignReader, file: string, leave: () => Promise<void>): ForeignDatabase {
  const ask = <T>(question: () => T): T => {
    try {
      return question();
    } catch (error) {
      throw unreadable(error, file);
    }
  };
  return {
    tables: reader.tables,
    count: (table) => ask(() => reader.count(table)),
    *rows(table) {
      const rows = ask(() => reader.rows(table));
      try {
        for (let next = ask(() => rows.next()); !next.done; next = ask(() => rows.next())) yield next.value;
      } finally {
        rows.return?.();
      }
    },
    lastId: (table) => ask(() => reader.lastId(table)),
    async close() {
      reader.close();
      await leave();
    },
  };
}

interface Looked {
  readonly parts: readonly string[];
  readonly bytes: number;
  /** Tells whether anybody wrote in between. */
  readonly marks: string;
}

async function lookAt(file: string): Promise<Looked> {
  const found = await Promise.all(
    PARTS.map(async (part) => {
      try {
        return { part, stats: await stat(file + part, { bigint: true }) };
      } catch (error) {
        if (part === "" || !isMissing(error)) throw unreadable(error, file);
        return undefined;
      }
    }),
  );
  const there = found.filter((each) => each !== undefined);
  if (there[0]?.stats.isFile() !== true) throw storeError("SOURCE_UNREADABLE", `${file} is not a file.`);
  return {
    parts: there.map(({ part }) => part),
    bytes: there.reduce((sum, { stats }) => sum + Number(stats.size), 0),
    marks: there.map(({ part, stats }) => [part, stats.ino, stats.size, stats.mtimeNs].join(":")).join(" "),
  };
}

async function checkRoom(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= bytes) return;
  throw storeError("STORE_FULL", `A copy of ${bytes} bytes has no room in ${dir}.`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function unreadable(error: unknown, file: string): unknown {
  if (error instanceof SteadingError) return error;
  const isSystem = error instanceof Error && "code" in error && typeof error.code === "string";
  if (sqliteCode(error) === undefined && !isSystem) return error;
  if (isMissing(error)) return storeError("SOURCE_UNREADABLE", `There is no file ${file}.`, { cause: error });
  const said = error instanceof Error ? error.message : "";
  return storeError("SOURCE_UNREADABLE", `${file} cannot be read: ${said}.`, { cause: error });
}
