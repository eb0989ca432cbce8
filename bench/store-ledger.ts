import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRealClock, silentLog, type Commit } from "@steading/kernel";
import { openStore, STORE_LIMITS } from "@steading/store";
import { openRawPeer } from "./store-ledger-peer.ts";

// Durable commits a second through the product's ledger (fixed: an alert and its audit record; kept: a blackboard entry and
// its record of a run), against raw better-sqlite3 with the same pragmas, tables and bytes in the same run. The peer writes on the thread that asks, first as
// callers who know nothing of each other do, one transaction each, then as one caller who knows the whole group in
// advance: the best that SQLite can do.

const { values: flags } = parseArgs({
  options: { seconds: { type: "string", default: "1" }, rounds: { type: "string", default: "5" } },
});
const runMs = Number(flags.seconds) * 1_000;
const rounds = Number(flags.rounds);
/** A hub runs for months: what the first moments cost a fresh thread is not what is asked here. Both sides have it. */
const WARM_UP_MS = 500;
const PADDING = "x".repeat(120);

/** Each class where the design has it: a space and a stream of that class. */
const PLACES = {
  fixed: { space: "farm.alerts", stream: "audit" },
  kept: { space: "orchestrator.blackboard", stream: "runs" },
} as const;
type Class = keyof typeof PLACES;

function commitOf(n: number, durability: Class): Commit {
  const { space, stream } = PLACES[durability];
  const correlation = `run-${n % 1_000}`;
  return {
    durability,
    puts: [{ space, key: `key/${n % 10_000}`, value: { n, padding: PADDING } }],
    records: [{ stream, kind: "bench.commit", at: n, correlation, data: { n, padding: PADDING } }],
  };
}

async function throughStore(writers: number, durability: Class) {
  const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
  const store = await openStore({ dir, clock: createRealClock(), log: silentLog });
  // The reserve is taken in idle moments after a first start; that is over before anything is measured.
  while (statSync(join(dir, "reserve.bin")).size < STORE_LIMITS.reserveBytes) await sleep(20);
  let n = 0;
  async function writeUntil(end: number): Promise<void> {
    while (performance.now() < end) await store.ledger.commit(commitOf(n++, durability));
  }
  const all = (ms: number) => {
    const end = performance.now() + ms;
    return Promise.all(Array.from({ length: writers }, () => writeUntil(end)));
  };
  await all(WARM_UP_MS);
  const before = store.counters().ledger;
  const started = performance.now();
  await all(runMs);
  const seconds = (performance.now() - started) / 1_000;
  const after = store.counters().ledger;
  const commits = after.commits - before.commits;
  await store.close();
  rmSync(dir, { recursive: true });
  return { perSecond: commits / seconds, perTransaction: commits / (after.transactions - before.transactions) };
}

function throughPeer(writers: number, durability: Class): number {
  const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
  const peer = openRawPeer({ file: join(dir, "raw.db"), synchronous: durability === "fixed" ? "FULL" : "NORMAL" });
  let n = 0;
  const writeFor = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end) peer.write(Array.from({ length: writers }, () => commitOf(n++, durability)));
  };
  writeFor(WARM_UP_MS);
  const before = n;
  const started = performance.now();
  writeFor(runMs);
  const seconds = (performance.now() - started) / 1_000;
  peer.close();
  rmSync(dir, { recursive: true });
  return (n - before) / seconds;
}

const { queueRecords, batchRecords, batchBytes } = STORE_LIMITS;
console.log(
  `node ${process.version}, best of ${rounds} rounds of ${runMs} ms each for both sides, 1 put + 1 record of ~150 bytes a commit`,
);
console.log(`limits: queue ${queueRecords} records, batch ${batchRecords} records or ${batchBytes} bytes\n`);
console.log(
  "| class | writers | store/s | raw/s, one transaction each | ratio | raw/s, ideal group | ratio | commits a transaction |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const durability of ["fixed", "kept"] as const) {
  for (const writers of [1, 16, 256]) {
    const raws: number[] = [];
    const singles: number[] = [];
    const stores: { perSecond: number; perTransaction: number }[] = [];
    // In turns, so that whatever else the machine does meets both.
    for (let round = 0; round < rounds; round++) {
      raws.push(throughPeer(writers, durability));
      singles.push(throughPeer(1, durability));
      stores.push(await throughStore(writers, durability));
    }
    const raw = Math.max(...raws);
    const single = Math.max(...singles);
    const [store = { perSecond: 0, perTransaction: 0 }] = stores.toSorted((a, b) => b.perSecond - a.perSecond);
    const ratio = (to: number): string => (store.perSecond / to).toFixed(2);
    const cells = [store.perSecond.toFixed(0), single.toFixed(0), ratio(single), raw.toFixed(0), ratio(raw)];
    console.log(`| ${durability} | ${writers} | ${cells.join(" | ")} | ${store.perTransaction.toFixed(1)} |`);
  }
}
