import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createJournal, createManualClock, silentLog } from "@steading/kernel";
import { createTrialDoor, createTrialRelay } from "@steading/kernel/testing";
import { expect, test } from "vitest";
import { openForReading } from "./sqlite/open-database.ts";
import { openTestStore, reserveTaken, temporaryDirectory } from "./test-directory.fixture.ts";

// What the kernel promises, with this store beneath it.

// @proves store.disk-full.safe-effects-go-on store.disk-full.audit-from-reserve
test("on a full disk the relay goes off and not on, and both are told truly", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock, limits: { stateBytes: 400_000 } });
  const trial = createTrialDoor({ ledger: store.ledger, clock });
  const relay = createTrialRelay(trial);
  await trial.door.perform(relay.effect(true));
  await reserveTaken(dir);
  const huge = { space: "thing", key: "huge", value: "x".repeat(1_000_000) };
  await expect(store.ledger.commit({ durability: "fixed", puts: [huge] })).rejects.toMatchObject({
    code: "STORE_FULL",
  });

  await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "STORE_FULL" });
  expect(relay.sends).toBe(1);
  const outcome = await trial.door.perform(relay.effect(false));
  expect(outcome.receipt.stage).toBe("observed");
  expect(relay.on).toBe(false);
  expect(store.counters().ledger.reserved).toBeGreaterThanOrEqual(2);

  const recorded = store.ledger.records("audit").map(({ kind }) => kind);
  await store.close();
  const after = await openTestStore(dir, { clock });
  expect(after.ledger.records("audit").map(({ kind }) => kind)).toEqual(recorded);
  const again = createTrialDoor({ ledger: after.ledger, clock });
  const action = again.door.action(outcome.receipt.action);
  expect(action?.receipt.stage).toBe("observed");
});

// @proves store.ledger.stored-redacted
test("no byte on the disk holds a secret that the journal redacts", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock });
  const journal = createJournal({ ledger: store.ledger, clock, log: silentLog });
  const secret = "hunter2-in-the-clear";
  for (const stream of ["audit", "runs", "bus"] as const) {
    await journal.append(stream, {
      kind: "login",
      data: { user: "anna-was-here", password: secret, deep: { api_key: secret } },
    });
  }
  await store.close();
  const bytes = readdirSync(dir).map((name) => readFileSync(join(dir, name)));
  expect(bytes.some((file) => file.includes("anna-was-here"))).toBe(true);
  expect(bytes.some((file) => file.includes(secret))).toBe(false);
});

// @proves store.ledger.one-row-per-tool-commit
test("a commit of a hundred entries adds one record", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir);
  const puts = Array.from({ length: 100 }, (_, n) => ({ space: "bb", key: `k${n}`, value: n }));
  const record = { stream: "runs", kind: "bb.batch_set", at: 1, data: { count: 100 } } as const;
  await store.ledger.commit({ durability: "kept", puts, records: [record] });
  const db = openForReading(join(dir, "state.db"));
  const rows = ["audit", "runs", "bus"].map((stream) =>
    db.prepare(`SELECT count(*) FROM journal_${stream}`).pluck().get(),
  );
  db.close();
  expect(rows).toEqual([0, 1, 0]);
});
