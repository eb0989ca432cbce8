import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
import { join } from "node:path";
import { createManualClock, seconds, type Commit } from "@steading/kernel";
import { createTrialDoor, createTrialRelay } from "@steading/kernel/testing";
import { expect, onTestFinished, test } from "vitest";
import { openTestStore, reserveTaken, soon, temporaryDirectory } from "./test-directory.fixture.ts";

const MiB = 1024 * 1024;
const MOUNT = "mount";
const UNMOUNT = "umount";

/** A small disk of our own; undefined where the system does not let us make one. */
function smallDisk(megabytes: number): string | undefined {
  const dir = join(temporaryDirectory(), "disk");
  mkdirSync(dir);
  try {
    execFileSync(MOUNT, ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", dir], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync(UNMOUNT, ["--lazy", dir]));
  return dir;
}

function fillUp(file: string): void {
  writeFileSync(file, "");
  for (let size = MiB; size >= 4096; size = size / 2) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // no room for this size; try half of it
    }
  }
}

const commit = (key: string, reserve: boolean, size = 10): Commit => ({
  durability: "fixed",
  reserve,
  puts: [{ space: "thing", key, value: "x".repeat(size) }],
  records: [{ stream: "audit", kind: reserve ? "off" : "ordinary", at: Date.UTC(2026, 0, 1), data: { key } }],
});

// @proves store.disk-full.reads-go-on store.disk-full.audit-from-reserve store.disk-full.rest-says-why
test("a disk that is really full", async ({ skip }) => {
  const disk = smallDisk(64);
  if (disk === undefined) return skip("mounting a disk for the test is not allowed here");
  const dir = join(disk, "data");
  const clock = createManualClock();
  const limits = { reserveBytes: 16 * MiB };
  const store = await openTestStore(dir, { limits, clock });
  for (let n = 0; n < 100; n++) await store.ledger.commit(commit(`k${n}`, false, 2_000));
  await reserveTaken(dir, 16 * MiB);
  const filler = join(disk, "filler");
  fillUp(filler);

  let written = 100;
  await expect(
    (async () => {
      for (;;) {
        await store.ledger.commit(commit(`k${written}`, false, 200_000));
        written++;
      }
    })(),
  ).rejects.toMatchObject({ code: "STORE_FULL" });
  expect(await store.ledger.commit(commit("pump", true))).toMatchObject({ seqs: [written + 1] });
  expect(store.ledger.list("thing", { limit: 1_000 })).toHaveLength(written + 1);
  const reading = { path: "/a", at: clock.now(), quality: "good" as const };
  const flood = Array.from({ length: 10_000 }, (_, n) => ({ ...reading, at: reading.at - n, value: "x".repeat(500) }));
  await expect(store.history.append(flood, { durability: "kept" })).rejects.toMatchObject({ code: "STORE_FULL" });
  await store.close();

  // It starts on the full disk, knows everything, and records what is safe.
  const again = await openTestStore(dir, { limits, clock });
  expect(again.ledger.list("thing", { limit: 1_000 })).toHaveLength(written + 1);
  expect(again.ledger.lastSeq("audit")).toBe(written + 1);
  await again.ledger.commit(commit("valve", true));

  rmSync(filler);
  await clock.advance(seconds(5));
  await soon(() => expect(again.health()).toEqual({ status: "ok" }));
  await again.ledger.commit(commit("b", false, 100_000));
  await again.close();
  const after = await openTestStore(dir, { limits, clock });
  const seqs = after.ledger.records("audit").map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: written + 3 }, (_, i) => i + 1));
  expect(after.ledger.get("thing", "valve")).toBeDefined();
});

// @proves store.disk-full.safe-effects-go-on store.disk-full.audit-from-reserve store.disk-full.rest-says-why
test("on a disk that is really full the real door sends every OFF and no ON, also after a restart there", async ({
  skip,
}) => {
  const disk = smallDisk(48);
  if (disk === undefined) return skip("mounting a disk for the test is not allowed here");
  const dir = join(disk, "data");
  const clock = createManualClock();
  const options = { limits: { reserveBytes: 16 * MiB }, clock, classes: {} };
  const store = await openTestStore(dir, options);
  const before = createTrialDoor({ ledger: store.ledger, clock });
  const pump = createTrialRelay(before, "pump");
  await before.door.perform(pump.effect(true));
  await reserveTaken(dir, 16 * MiB);
  fillUp(join(disk, "filler"));

  /** Tries until the log has no room left; what went out until then went out with its record. */
  async function switchOnUntilRefused(): Promise<void> {
    for (;;) await before.door.perform(pump.effect(true));
  }
  await expect(switchOnUntilRefused()).rejects.toMatchObject({ code: "STORE_FULL" });
  const { sends } = pump;
  const offs = [];
  for (let n = 0; n < 20; n++) {
    offs.push(await before.door.perform(pump.effect(false)));
    await expect(before.door.perform(pump.effect(true))).rejects.toMatchObject({ code: "STORE_FULL" });
  }
  expect(pump.sends).toBe(sends + 20);
  expect(before.door.counters.ledger).toEqual({ unrecordedReservations: 0, unrecordedOutcomes: 0 });
  await store.close();

  const again = await openTestStore(dir, options);
  const after = createTrialDoor({ ledger: again.ledger, clock });
  const later = createTrialRelay(after, "pump");
  await expect(after.door.perform(later.effect(true))).rejects.toMatchObject({ code: "STORE_FULL" });
  offs.push(await after.door.perform(later.effect(false)));
  expect(later.sends).toBe(1);
  for (const { receipt } of offs) expect(after.door.action(receipt.action)?.receipt.stage).toBe("observed");
  expect(again.health()).toMatchObject({ status: "degraded" });
});

test("a disk that can only be read is refused with a sentence that says so", async ({ skip }) => {
  const disk = smallDisk(16);
  if (disk === undefined) return skip("mounting a disk for the test is not allowed here");
  const dir = join(disk, "data");
  const store = await openTestStore(dir);
  await store.ledger.commit(commit("a", false));
  await store.close();
  execFileSync(MOUNT, ["-o", "remount,ro", disk]);
  await expect(openTestStore(dir)).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("read-only"),
  });
});
