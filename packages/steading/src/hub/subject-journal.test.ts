import { createManualClock, createMemoryLedger, createJournal, silentLog, type Caller } from "@steading/kernel";
import { expect, test } from "vitest";
import { journalSubjects } from "./subject-journal.ts";

const caller: Caller = { principal: "anna", role: "admin", transport: "internal", correlation: "c1" };

test("a change inside the hub is on the audit stream once its promise is kept; what the door recorded is not repeated", async () => {
  const clock = createManualClock();
  const journal = createJournal({ ledger: createMemoryLedger({ clock }), clock, log: silentLog });
  const record = journalSubjects({ journal });
  const common = { at: 0, caller, path: "/a/b" } as const;
  await record({ ...common, action: "write", old: 1, new: 2, outcome: "applied" });
  await record({ ...common, action: "write", old: 1, new: 2, outcome: "confirmed", effect: "act" });
  await record({ ...common, action: "write", old: 1, new: 2, outcome: "OUT_OF_RANGE" });
  await record({ ...common, action: "invoke", method: "reset", outcome: "ok" });
  await record({ ...common, action: "invoke", method: "reset", outcome: "ok", effect: "act" });
  const told = journal.read("audit", caller).map(({ kind, data }) => [kind, data["outcome"]]);
  expect(told).toEqual([
    ["subject.written", "applied"],
    ["subject.invoked", "ok"],
  ]);
});

test("a record that cannot be written fails its caller", async () => {
  const record = journalSubjects({ journal: { append: () => Promise.reject(new Error("full")) } });
  await expect(
    record({ at: 0, caller, path: "/a", action: "write", old: 1, new: 2, outcome: "applied" }),
  ).rejects.toThrow("full");
});
