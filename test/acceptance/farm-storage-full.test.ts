import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createTrialFarm, shedRelays } from "@steading/farm/testing";
import { createRealClock, silentLog, SteadingError } from "@steading/kernel";
import { createVirtualFarm } from "@steading/sim";
import { openStore } from "@steading/store";
import { expect, onTestFinished, test } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const MiB = 1024 * 1024;
const MOUNT = "mount";
const UNMOUNT = "umount";

/** A small disk of our own; undefined where the system does not let us make one. */
async function smallDisk(): Promise<string | undefined> {
  const folder = await createTemporaryFolder();
  onTestFinished(() => folder.remove());
  const disk = folder.at("disk");
  mkdirSync(disk);
  try {
    execFileSync(MOUNT, ["-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync(UNMOUNT, ["--lazy", disk]));
  return disk;
}

function fillUp(file: string): void {
  writeFileSync(file, "");
  for (let size = MiB; size >= 4096; size /= 2) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // no room for this size; try half of it
    }
  }
}

// @proves farm.storage.disk-full
test("on a disk that is really full readings stop, every OFF still goes out, and a critical alert says why", async ({
  skip,
}) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip("mounting a disk for the test is not allowed here");
  const sim = createVirtualFarm();
  const addresses = await sim.start();
  onTestFinished(() => sim.stop());
  const store = await openStore({
    dir: `${disk}/data`,
    clock: createRealClock(),
    log: silentLog,
    limits: { reserveBytes: 8 * MiB },
  });
  onTestFinished(() => store.close());
  const { ledger, history } = store;
  const farm = createTrialFarm({ ledger, history, timeoutMs: 400, storage: () => store.health() });
  await farm.start();
  onTestFinished(() => farm.stop());
  const { core } = farm;
  const { id } = await core.book.create(shedRelays(addresses), "anna");
  const pump = (state: boolean) =>
    core.relays.switch({ equipmentId: id, channel: 0, state, source: "manual" }, farm.perform);
  expect(await pump(true)).toMatchObject({ confirmed: true });

  const filler = `${disk}/filler`;
  fillUp(filler);
  const flood = Array.from({ length: 1_000 }, (_, n) => ({ name: `metric ${n}`, value: n, unit: "", at: Date.now() }));
  const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      await work();
      return "done";
    } catch (error) {
      return error instanceof SteadingError ? error.code : String(error);
    }
  };
  const post = () =>
    core.readings.posted(
      core.book.get(id),
      flood.map((each) => ({ ...each, at: Date.now() })),
    );
  // Until the room that the databases had taken already is used up.
  await expect.poll(() => codeOf(post), { timeout: 30_000, interval: 1 }).toBe("STORE_FULL");
  await expect
    .poll(() => codeOf(() => core.zones.create({ name: "x".repeat(180), description: "y".repeat(2_000) }, "anna")), {
      timeout: 30_000,
      interval: 1,
    })
    .toBe("STORE_FULL");

  expect(await codeOf(() => pump(true))).toBe("STORE_FULL");
  expect(await pump(false)).toMatchObject({ state: false, confirmed: true });
  expect(sim.isClosed("shed", 1, 1)).toBe(false);
  const active = () => core.alerts.list({ cleared: false }).filter(({ source }) => source === "storage");
  await expect.poll(active, { timeout: 20_000 }).toMatchObject([{ severity: "critical", acknowledged: false }]);

  rmSync(filler);
  await expect.poll(() => codeOf(() => core.zones.create({ name: "After" }, "anna")), { timeout: 30_000 }).toBe("done");
  expect(await codeOf(post)).toBe("done");
  await expect.poll(active, { timeout: 30_000 }).toEqual([]);
  expect(await pump(true)).toMatchObject({ confirmed: true });
  const kept = ledger.list("farm.alerts").map(({ entry }) => entry.value);
  expect(kept).toMatchObject([{ source: "storage", severity: "critical", cleared_at: expect.any(Number) }]);
});
