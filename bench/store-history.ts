import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRealClock, hours, silentLog } from "@steading/kernel";
import { HISTORY_LIMITS, openStore, type Reading } from "@steading/store";
import { openRawHistory } from "./store-history-peer.ts";

// Readings a second through the product's history (roll-ups on, durable answer for each batch), and the latest value, a
// range and hours over all of them, against raw better-sqlite3 with the same table and pragmas in the same run.

const { values: flags } = parseArgs({ options: { rows: { type: "string", default: "10000000" } } });
const most = Number(flags.rows);
const SERIES = 10;
const BATCH = 10_000;
const DAY = 86_400_000;

interface Figures {
  readonly append: number;
  readonly latestUs: number;
  readonly rangeMs: number;
  readonly hoursMs: number;
  readonly bytes: number;
}

const path = (series: number): string => `/bench/${series}`;
const timed = async (work: () => unknown, times: number): Promise<number> => {
  const started = performance.now();
  for (let n = 0; n < times; n++) await work();
  return (performance.now() - started) / times;
};

/** One reading a second of each series, ending now. */
function* batches(rows: number, start: number): Generator<Reading[]> {
  for (let n = 0; n < rows; n += BATCH) {
    yield Array.from({ length: Math.min(BATCH, rows - n) }, (_, i) => {
      const at = start + Math.floor((n + i) / SERIES) * 1_000;
      return { path: path((n + i) % SERIES), at, value: 20 + Math.sin((n + i) / 500), quality: "good" as const };
    });
  }
}

async function throughStore(rows: number, start: number): Promise<Figures> {
  const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
  const options = { dir, clock: createRealClock(), log: silentLog };
  let store = await openStore(options);
  let spent = 0;
  for (const batch of batches(rows, start)) {
    const started = performance.now();
    await store.history.append(batch, { durability: "kept" });
    spent += performance.now() - started;
  }
  await store.close();
  store = await openStore({ ...options, limits: { checkBytes: 0 } });
  const to = start + Math.ceil(rows / SERIES) * 1_000;
  // The first look at a series asks the disk, all others the memory; both happen, so both count.
  const latestUs =
    (1_000 * (await timed(() => Array.from({ length: SERIES }, (_, s) => store.history.latest(path(s))), 1_000))) /
    SERIES;
  await store.history.range({ path: path(0), from: to - hours(1), to, limit: 10_000 });
  const rangeMs = await timed(() => store.history.range({ path: path(3), from: to - hours(1), to, limit: 10_000 }), 50);
  const eachHours = (s: number) => store.history.buckets({ path: path(s), from: start, to, width: hours(1) });
  const hoursMs = await timed(async () => {
    for (let s = 0; s < SERIES; s++) await eachHours(s);
  }, 3);
  await store.close();
  const { size: bytes } = statSync(join(dir, "history.db"));
  rmSync(dir, { recursive: true });
  return { append: (rows / spent) * 1_000, latestUs, rangeMs, hoursMs, bytes };
}

async function throughPeer(rows: number, start: number): Promise<Figures> {
  const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
  const file = join(dir, "raw.db");
  const peer = openRawHistory(file);
  let spent = 0;
  for (const batch of batches(rows, start)) {
    const started = performance.now();
    peer.append(batch);
    spent += performance.now() - started;
  }
  const to = start + Math.ceil(rows / SERIES) * 1_000;
  const latestUs =
    (1_000 * (await timed(() => Array.from({ length: SERIES }, (_, s) => peer.latest(path(s))), 1_000))) / SERIES;
  const rangeMs = await timed(() => peer.range(path(3), to - hours(1), to), 50);
  const hoursMs = await timed(() => Array.from({ length: SERIES }, (_, s) => peer.hours(path(s), start, to)), 3);
  peer.close();
  const { size: bytes } = statSync(file);
  rmSync(dir, { recursive: true });
  return { append: (rows / spent) * 1_000, latestUs, rangeMs, hoursMs, bytes };
}

console.log(
  `node ${process.version}, ${SERIES} series, batches of ${BATCH}, class kept, roll-ups raw → minute → hour on`,
);
console.log(`limits: batch ${HISTORY_LIMITS.batchReadings}, queue ${HISTORY_LIMITS.queueReadings} readings`);
console.log("The peer keeps no roll-ups: its appends are cheaper and its hours are added up from the readings.\n");
console.log("| rows | | append/s | latest µs | range of 1 h, ms | hours of all rows, ms | bytes a row |");
console.log("| ---: | --- | ---: | ---: | ---: | ---: | ---: |");
for (const rows of [most / 100, most / 10, most]) {
  const start = Math.floor((Date.now() - (rows / SERIES) * 1_000 - DAY) / 3_600_000) * 3_600_000;
  const raw = await throughPeer(rows, start);
  const store = await throughStore(rows, start);
  const line = (name: string, f: Figures) =>
    `| ${rows} | ${name} | ${f.append.toFixed(0)} | ${f.latestUs.toFixed(2)} | ${f.rangeMs.toFixed(2)} | ${f.hoursMs.toFixed(1)} | ${(f.bytes / rows).toFixed(1)} |`;
  console.log(line("store", store));
  console.log(line("raw", raw));
  const ratios = [
    store.append / raw.append,
    raw.latestUs / store.latestUs,
    raw.rangeMs / store.rangeMs,
    raw.hoursMs / store.hoursMs,
  ];
  console.log(`| ${rows} | ratio, above 1 is faster | ${ratios.map((r) => r.toFixed(2)).join(" | ")} | |`);
}
