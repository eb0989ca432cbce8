import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createJournal, createManualClock, silentLog, type Commit, type Ledger } from "@steading/kernel";
import { createTrialDoor, createTrialRelay, trialCaller } from "@steading/kernel/testing";
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

// @proves store.ledger.stored-redacted
test("a secret that goes through the door leaves no trace, neither in the databases nor in reserve or backup", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { clock, limits: { stateBytes: 400_000 }, classes: {} });
  const trial = createTrialDoor({ ledger: store.ledger, clock });
  const relay = createTrialRelay(trial);
  const secret = "correct-horse-battery-staple";
  const secrets = {
    arguments: { target: "relay-1", wifi_password: secret, note: `Bearer ${secret}`, seen: "plainly" },
  };
  await trial.door.perform(relay.effect(true, { ...secrets, key: "k1" }));
  relay.mood = "refuses";
  await trial.door.perform(relay.effect(true, secrets));
  const asking = trial.door.perform(relay.effect(true, { ...secrets, confirm: "approve" }));
  await expect(asking).rejects.toMatchObject({ code: "CONFIRMATION_REQUIRED" });
  relay.mood = "obeys";
  const backup = join(temporaryDirectory(), "backup");
  await store.backup(backup);
  await reserveTaken(dir);
  const huge = { space: "thing", key: "huge", value: "x".repeat(1_000_000) };
  await expect(store.ledger.commit({ durability: "fixed", puts: [huge] })).rejects.toMatchObject({
    code: "STORE_FULL",
  });
  await trial.door.perform(relay.effect(false, secrets));
  expect(store.counters().ledger.reserved).toBeGreaterThanOrEqual(2);

  const holding = (text: string): string[] =>
    [dir, backup].flatMap((folder) =>
      readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text)),
    );
  expect(new Set(holding("plainly"))).toEqual(new Set(["state.db-wal", "reserve.bin", "state.db"]));
  expect(holding(secret)).toEqual([]);
  await store.close();
  expect(holding(secret)).toEqual([]);
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

// @proves store.fixed.reservations-and-outcomes store.fixed.approvals store.fixed.audit
test("effects, approvals and everything in the audit stream wait for the sync", async () => {
  const clock = createManualClock();
  const store = await openTestStore(temporaryDirectory(), { clock });
  const commits: Commit[] = [];
  const listened: Ledger = {
    ...store.ledger,
    commit(commit) {
      commits.push(commit);
      return store.ledger.commit(commit);
    },
  };
  const trial = createTrialDoor({ ledger: listened, clock });
  const relay = createTrialRelay(trial);
  const outcome = await trial.door.perform(relay.effect(true, { key: "once" }));
  expect(outcome.receipt.stage).toBe("observed");
  const asking = trial.door.perform(relay.effect(true, { confirm: "approve" }));
  await expect(asking).rejects.toMatchObject({ code: "CONFIRMATION_REQUIRED" });
  const [pending] = trial.approvals.pending();
  await trial.approvals.decide(pending?.id ?? "", trialCaller({ principal: "ben", role: "admin" }), true);
  await trial.journal.append("audit", { kind: "account.made", data: { user: "carl" } });

  // A reservation, its outcome, a request, a decision, and the record of its own.
  expect(commits.length).toBeGreaterThanOrEqual(5);
  expect(commits.filter(({ durability }) => durability !== "fixed")).toEqual([]);
});
