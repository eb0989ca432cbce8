import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createManualClock, silentLog, type Log } from "@steading/kernel";
import { expect, test } from "vitest";
import { startChild } from "../child-process.fixture.ts";
import { openStore } from "../store.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

const CHILD = new URL("../ledger/committing.fixture.ts", import.meta.url);
const CLOCK = createManualClock();

// @proves store.directory.locked
test(
  "a second process is refused with the name of the first, and let in once that was killed",
  { timeout: 60_000 },
  async () => {
    const dir = temporaryDirectory();
    const child = startChild(CHILD, [dir, "1"]);
    for await (const line of child.lines) if (line === "open") break;

    const refused = openStore({ dir, clock: CLOCK, log: silentLog });
    await expect(refused).rejects.toMatchObject({
      code: "DATA_DIR_LOCKED",
      details: { dir, pid: child.process.pid, host: hostname() },
    });
    await expect(refused).rejects.toThrow(`process ${child.process.pid} on ${hostname()}`);

    await child.kill();
    expect(existsSync(join(dir, "lock.json"))).toBe(true);
    const store = await openTestStore(dir);
    expect(store.ledger.lastSeq("audit")).toBeGreaterThanOrEqual(0);
  },
);

// @proves store.directory.locked
test("the same process is refused as well, and let in after closing", async () => {
  const dir = temporaryDirectory();
  const first = await openTestStore(dir);
  await expect(openStore({ dir, clock: CLOCK, log: silentLog })).rejects.toMatchObject({
    code: "DATA_DIR_LOCKED",
    details: { pid: process.pid, since: Date.UTC(2026, 0, 1) },
  });
  await first.close();
  expect(existsSync(join(dir, "lock.json"))).toBe(false);
  await openTestStore(dir);
});

// @proves store.directory.one store.files.state-db
test("directory and files are for their owner alone", async () => {
  const dir = join(temporaryDirectory(), "data");
  const store = await openTestStore(dir);
  await store.ledger.commit({ durability: "kept", puts: [{ space: "a", key: "b", value: 1 }] });
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  const modes = readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mode & 0o777]);
  expect(modes).toContainEqual(["state.db", 0o600]);
  expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
});

test("a directory that others can read is used and complained about", async () => {
  const dir = temporaryDirectory();

  chmodSync(dir, 0o755);
  const said: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => said.push(message) };
  await openTestStore(dir, { log });
  expect(said).toEqual(["The data directory can be read by others; run `chmod 700` on it."]);
});

test("a path that is no directory is refused with a sentence, not with a stack", async () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  await expect(openStore({ dir: join(file, "data"), clock: CLOCK, log: silentLog })).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("is not a directory"),
  });
});
