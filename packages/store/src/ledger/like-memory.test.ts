import {
  createManualClock,
  createMemoryLedger,
  STREAMS,
  type Commit,
  type Durability,
  type Ledger,
} from "@steading/kernel";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

// Few keys, so that commits meet; among them the ranges that UTF-8 orders differently.
const key = fc.constantFrom("a", "a/1", "a/2", "b", "\uD83D\uDCDF", "\uFFFD", "__proto__");
const space = fc.constantFrom("things", "others");
const entry = fc.record({ space, key });
const step = fc.record({
  durability: fc.constantFrom<Durability>("fixed", "kept", "volatile"),
  puts: fc.array(fc.record({ space, key, value: fc.jsonValue({ maxDepth: 1 }) }), { maxLength: 4 }),
  deletes: fc.array(entry, { maxLength: 2 }),
  records: fc.array(fc.constantFrom(...STREAMS), { maxLength: 3 }),
  /** Expectations: of what is there, or of something else. */
  expects: fc.array(fc.record({ space, key, off: fc.constantFrom(0, 0, 0, 1) }), { maxLength: 2 }),
  next: fc.constantFrom("go on", "go on", "go on", "wait", "reopen"),
});

function toCommit(
  ledger: Ledger,
  { durability, puts, deletes, records, expects }: typeof step extends fc.Arbitrary<infer S> ? S : never,
): Commit {
  return {
    durability,
    // What JSON makes of a value is the value: both ledgers promise no more.
    puts: puts.map((put) => ({ ...put, value: JSON.parse(JSON.stringify(put.value)) as null })),
    deletes,
    records: records.map((stream, n) => ({ stream, kind: "step", at: Date.UTC(2026, 0, 1), data: { n } })),
    expect: expects.map(({ space, key, off }) => ({
      space,
      key,
      revision: (ledger.get(space, key)?.revision ?? 0) + off,
    })),
  };
}

/** Everything that can be seen of a ledger, revisions as their order: two ledgers may count differently. */
function view(ledger: Ledger): unknown {
  const entries = ["things", "others"].flatMap((name) =>
    ledger.list(name).map(({ key, entry }) => ({ name, key, entry })),
  );
  const order = [...new Set(entries.map(({ entry }) => entry.revision))].sort((a, b) => a - b);
  return {
    entries: entries.map(({ name, key, entry }) => [name, key, entry.value, order.indexOf(entry.revision)]),
    gets: entries.map(({ name, key }) => ledger.get(name, key)?.value),
    pages: [ledger.list("things", { prefix: "a", limit: 2 }), ledger.list("things", { after: "a/1", limit: 3 })].map(
      (page) => page.map(({ key }) => key),
    ),
    records: STREAMS.map((stream) => [
      ledger.lastSeq(stream),
      ledger.records(stream),
      ledger.records(stream, { after: 2, limit: 2 }),
    ]),
  };
}

// @proves store.ledger.passes-port-suite store.ledger.stale-expect-changes-nothing
test("whatever is committed, this ledger shows what the one in memory shows", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const dir = temporaryDirectory();
      const memory = createMemoryLedger({ clock: createManualClock() });
      let store = await openTestStore(dir, { limits: { tailRecords: 2 } });
      for (const each of steps) {
        const answers = [store.ledger, memory].map((ledger) => ledger.commit(toCommit(ledger, each)));
        // Not awaited yet: what is queued must look as if it were there.
        const outcomes = Promise.all(
          answers.map((answer) =>
            answer.then(
              ({ seqs }) => seqs,
              ({ code }: { code: string }) => code,
            ),
          ),
        );
        expect(view(store.ledger)).toEqual(view(memory));
        if (each.next === "go on") continue;
        const [mine, theirs] = await outcomes;
        expect(mine).toEqual(theirs);
        expect(view(store.ledger)).toEqual(view(memory));
        if (each.next !== "reopen") continue;
        await store.close();
        store = await openTestStore(dir, { limits: { tailRecords: 2 } });
        expect(view(store.ledger)).toEqual(view(memory));
      }
      await store.close();
    }),
    { numRuns: 15 },
  );
});
