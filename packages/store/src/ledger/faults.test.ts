import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startChild } from "../child-process.fixture.ts";
import { disturbing, hasStrace } from "../strace.fixture.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { judge, listen, nothingPromised, type Promised } from "./promised.fixture.ts";

// The disk misbehaves for real: strace stands between the process and the kernel and answers for it.

const CHILD = new URL("./committing.fixture.ts", import.meta.url);
const STRACE = "strace";
const TIMEOUT = 60_000;

async function disturbed(dir: string, around: readonly string[], args: readonly string[]): Promise<Promised> {
  const promised = nothingPromised();
  for await (const line of startChild(CHILD, [dir, ...args], around).lines) listen(promised, line);
  return promised;
}

/** Faults in what is written to the log of `state.db`. */
const strace = (dir: string, ...rules: readonly string[]) => disturbing([join(dir, "state.db-wal")], ...rules);

describe.skipIf(!hasStrace)("a disk that misbehaves", () => {
  test("a write that fails refuses its batch, and the next one goes through", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const promised = await disturbed(dir, strace(dir, "pwrite64:error=EIO:when=60"), ["4", "fixed,kept", "200"]);
    expect(new Set(promised.refused.map(({ code }) => code))).toEqual(new Set(["STORE_FAILED"]));
    expect(promised.refused.length).toBeLessThanOrEqual(4);
    expect(promised.committed).toHaveLength(200 - promised.refused.length);
    judge(await openTestStore(dir), promised);
  });

  test("a sync that fails is not answered with yes", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const promised = await disturbed(dir, strace(dir, "fsync,fdatasync:error=EIO:when=10+7"), ["1", "fixed", "100"]);
    expect(promised.refused.length).toBeGreaterThan(5);
    expect(promised.committed).toHaveLength(100 - promised.refused.length);
    judge(await openTestStore(dir), promised);
  });

  // @proves store.disk-full.rest-says-why
  test("no room in the middle of a write is reported as a full disk", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const promised = await disturbed(dir, strace(dir, "pwrite64:error=ENOSPC:when=100+"), ["4", "kept", "200"]);
    expect(new Set(promised.refused.map(({ code }) => code))).toEqual(new Set(["STORE_FULL"]));
    expect(promised.committed.length).toBeGreaterThan(0);
    judge(await openTestStore(dir), promised);
  });

  // @proves store.queue.commit-is-the-window
  test("a slow disk makes larger batches, not more refusals", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const promised = await disturbed(dir, strace(dir, "fsync,fdatasync:delay_enter=20000"), ["16", "fixed", "160"]);
    expect(promised.refused).toEqual([]);
    expect(promised.committed).toHaveLength(160);
    expect(promised.transactions).toBeLessThan(40);
    judge(await openTestStore(dir), promised);
  });

  test(
    "a write that is cut short in the middle of a page loses nothing that was answered",
    { timeout: TIMEOUT },
    async () => {
      const dir = temporaryDirectory();
      // No file may grow beyond 1 000 000 bytes, which is not a whole number of pages: the kernel writes what fits.
      const limit = ["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=1000000 "$@"', "sh"];
      const promised = await disturbed(dir, limit, ["4", "kept", "600"]);
      expect(promised.refused.length).toBeGreaterThan(0);
      expect(promised.committed.length).toBeGreaterThan(0);
      judge(await openTestStore(dir), promised);
    },
  );

  test(
    "readings that cannot be written are refused, and the ledger does not notice",
    { timeout: TIMEOUT },
    async () => {
      const dir = temporaryDirectory();
      const rules = ["pwrite64:error=EIO:when=40+3", "fsync,fdatasync:error=EIO:when=5+9"];
      const around = disturbing([join(dir, "history.db-wal")], ...rules);
      const promised = await disturbed(dir, around, ["4", "fixed,kept", "200"]);
      expect(promised.refused).toEqual([]);
      expect(new Set(promised.unread.map(({ code }) => code))).toEqual(new Set(["STORE_FAILED"]));
      expect(promised.read.length).toBeGreaterThan(0);
      expect(promised.read.length + promised.unread.length).toBe(200);
      judge(await openTestStore(dir), promised);
    },
  );

  test("no room for readings is told as a full disk", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const around = disturbing([join(dir, "history.db-wal")], "pwrite64:error=ENOSPC:when=60+");
    const promised = await disturbed(dir, around, ["4", "kept", "200"]);
    expect(promised.refused).toEqual([]);
    expect(new Set(promised.unread.map(({ code }) => code))).toEqual(new Set(["STORE_FULL"]));
    expect(promised.read.length).toBeGreaterThan(0);
    judge(await openTestStore(dir), promised);
  });

  // @proves store.threads.one-writer-each
  test("each database is written by one thread of its own", { timeout: TIMEOUT }, async () => {
    const dir = temporaryDirectory();
    const trace = join(dir, "trace");
    const calls = ["-e", "trace=pwrite64,write", "-e", "signal=none", "-s", "64", "-y"];
    await disturbed(dir, [STRACE, "-f", "--seccomp-bpf", "-qq", "-o", trace, ...calls], ["4", "fixed,kept", "100"]);
    const lines = readFileSync(trace, "utf8").split("\n");
    const threadsOf = (pattern: RegExp) => {
      return new Set(lines.filter((line) => pattern.test(line)).map((line) => line.split(" ", 1)[0] ?? ""));
    };
    const main = threadsOf(/\bwrite\(1<.*"committed /);
    const state = threadsOf(/\bpwrite64\(\d+<[^>]*state\.db(-wal)?>/);
    const history = threadsOf(/\bpwrite64\(\d+<[^>]*history\.db(-wal)?>/);
    expect([main.size, state.size, history.size]).toEqual([1, 1, 1]);
    expect(new Set([...main, ...state, ...history]).size).toBe(3);
  });

  // @proves store.fixed.fsync-before-answer store.kept.in-wal-before-answer store.queue.no-fsync-if-none-asks store.fixed.qos1-readings
  test.each([
    ["state.db-wal", "committed"],
    ["history.db-wal", "read"],
  ])(
    "%s: an answer comes after the write, and for what is fixed after the sync",
    { timeout: TIMEOUT },
    async (file, word) => {
      for (const durability of ["fixed", "kept"]) {
        const dir = temporaryDirectory();
        const trace = join(dir, "trace");
        const calls = ["-e", "trace=pwrite64,fsync,fdatasync,write", "-e", "signal=none", "-s", "64", "-y"];
        await disturbed(dir, [STRACE, "-f", "--seccomp-bpf", "-qq", "-o", trace, ...calls], ["1", durability, "20"]);
        const steps = readFileSync(trace, "utf8")
          .split("\n")
          .map((line) => toStep(line, file, word))
          .filter((step) => step !== undefined);
        const first = steps.indexOf("answer");
        const cycles = steps
          .slice(first + 1, steps.lastIndexOf("answer") + 1)
          .join(" ")
          .split("answer");
        expect(cycles.length).toBe(20);
        for (const cycle of cycles.slice(0, -1)) {
          expect(cycle).toContain("write");
          // For what is fixed the last step before the answer is the sync.
          if (durability === "fixed") expect(cycle.trim()).toMatch(/write sync$/);
          else expect(cycle).not.toContain("sync");
        }
      }
    },
  );
});

function toStep(line: string, file: string, word: string): string | undefined {
  if (line.includes("write(1<") && line.includes(`"${word} `)) return "answer";
  if (!line.includes(`${file}>`)) return undefined;
  if (/\bpwrite64\(/.test(line)) return "write";
  if (/\bf(?:data)?sync\(/.test(line)) return "sync";
  return undefined;
}
