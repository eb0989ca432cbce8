import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRealClock, millis, silentLog } from "@steading/kernel";
import { openStore, type Reading } from "@steading/store";

// How long the main thread is kept from its work while it takes in readings at a steady rate and a long scan runs. The
// floor is the same pacing loop with a store that is asked for nothing.

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    rate: { type: "string", default: "100000" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
  },
});
const rows = Number(flags.rows);
const rate = Number(flags.rate);
const runMs = Number(flags.seconds) * 1_000;
const TICK = 10;
const SERIES = 1_000;
const SCANNED = "/bench/scanned";

const dir = mkdtempSync(join(tmpdir(), "steading-bench-"));
const store = await openStore({ dir, clock: createRealClock(), log: silentLog, limits: { checkBytes: 0 } });
const start = Date.now() - rows * 500;

for (let n = 0; n < rows; n += 20_000) {
  const batch = Array.from({ length: Math.min(20_000, rows - n) }, (_, i): Reading => {
    return { path: SCANNED, at: start + (n + i) * 500, value: (n + i) % 100, quality: "good" };
  });
  await store.history.append(batch, { durability: "kept" });
}

/** Takes in readings at the wanted rate until the time is over; says how many it managed. */
async function pace(write: boolean): Promise<{ readings: number; dropped: number }> {
  let readings = 0;
  let dropped = 0;
  const began = performance.now();
  for (let tick = 1; performance.now() - began < runMs; tick++) {
    const count = (rate * TICK) / 1_000;
    const at = Date.now();
    const batch = Array.from({ length: count }, (_, i): Reading => {
      return {
        path: `/bench/live/${(readings + i) % SERIES}`,
        at: at + (Math.floor((readings + i) / SERIES) % 10),
        value: i,
        quality: "good",
      };
    });
    readings += count;
    if (write) dropped += (await store.history.append(batch)).dropped;
    await sleep(Math.max(0, began + tick * TICK - performance.now()));
  }
  return { readings, dropped };
}

/** Reads every single reading again and again: a width below a minute allows no shortcut. */
async function scanUntil(signal: AbortSignal): Promise<number> {
  let scanned = 0;
  while (!signal.aborted) {
    await store.history.buckets({
      path: SCANNED,
      from: start,
      to: start + rows * 500,
      width: millis(Math.ceil((rows * 500) / 4_999 / 7_000) * 7_000 + 1),
    });
    scanned += rows;
  }
  return scanned;
}

interface Round {
  readonly p99: number;
  readonly row: string;
}

/** The round with the least delay: what else the machine did only ever adds to it. */
async function measured(name: string, write: boolean, scan: boolean): Promise<void> {
  const rounds: Round[] = [];
  for (let n = 0; n < Number(flags.rounds); n++) rounds.push(await once(name, write, scan));
  console.log(rounds.toSorted((a, b) => a.p99 - b.p99)[0]?.row);
}

async function once(name: string, write: boolean, scan: boolean): Promise<Round> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const over = new AbortController();
  delay.enable();
  const began = performance.now();
  const scanning = scan ? scanUntil(over.signal) : Promise.resolve(0);
  const { readings, dropped } = await pace(write);
  delay.disable();
  over.abort();
  const seconds = (performance.now() - began) / 1_000;
  const scanned = await scanning;
  await store.history.flush();
  const ms = (ns: number): string => (ns / 1e6).toFixed(1);
  const cells = [ms(delay.percentile(50)), ms(delay.percentile(99)), ms(delay.max)];
  const row = `| ${name} | ${(readings / seconds).toFixed(0)} | ${dropped} | ${(scanned / 1e6).toFixed(0)} M | ${cells.join(" | ")} |`;
  return { p99: delay.percentile(99), row };
}

console.log(
  `node ${process.version}, ${rate} readings/s in ticks of ${TICK} ms, ${SERIES} series, scan over ${rows} rows, best of ${flags.rounds} rounds of ${flags.seconds} s`,
);
console.log("| what runs | readings/s | dropped | rows scanned | delay p50 ms | p99 ms | max ms |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
await measured("nothing (the pacing loop alone)", false, false);
await measured("writing", true, false);
await measured("writing and scanning", true, true);
await store.close();
rmSync(dir, { recursive: true });
