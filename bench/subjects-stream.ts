// @proves subjects.figure.change-stream subjects.figure.derived-input
// What the product's own wiring costs: values come in from a source with their quality, a derived value per subject
// follows, and a reader takes the coalesced change stream. 20 000 changes a second in bursts of 8 ms, counted in
// processor time of this process, less what the same loop takes without any writes. The peer is an EventEmitter whose
// listener collects the same changes into an array.
import { EventEmitter } from "node:events";
import { parseArgs } from "node:util";
import { createRealClock, silentLog } from "@steading/kernel";
import {
  createGraph,
  defineSubject,
  p,
  type Source,
  type SourceContext,
  type Subject,
  type Update,
} from "@steading/subjects";

const { values: flags } = parseArgs({ options: { seconds: { type: "string", default: "3" } } });
const SECONDS = Number(flags.seconds);
const RATE = 20_000;
const BURST_MS = 8;
const SIZES = [1_000, 10_000, 100_000];

const Meter = defineSubject("bench.stream.Meter", {
  props: { power: p.number({ unit: "Watt" }), voltage: p.number({ unit: "Volt" }) },
  derived: { current: (s) => s.power / s.voltage },
});

const turn = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Share of one core, in percent. */
async function load(burst: (count: number) => void): Promise<number> {
  const start = performance.now();
  const before = process.cpuUsage();
  let sent = 0;
  for (;;) {
    const due = Math.floor(((performance.now() - start) / 1_000) * RATE);
    burst(due - sent);
    sent = due;
    if (performance.now() - start >= SECONDS * 1_000) break;
    await turn(BURST_MS);
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / (performance.now() - start)) * 100;
}

async function graphLoad(
  count: number,
  withDerived: boolean,
): Promise<{ percent: number; delivered: number; dropped: number }> {
  const graph = createGraph({ clock: createRealClock(), log: silentLog });
  let context: SourceContext | undefined;
  const source: Source = {
    start(given) {
      context = given;
      return Promise.resolve();
    },
    load: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
  };
  const handle = graph.addSource("meters", source, { mount: "/meters" });
  await handle.start();
  const Plain = defineSubject("bench.stream.Plain", {
    props: { power: p.number({ unit: "Watt" }), voltage: p.number() },
  });
  const meters: Subject[] = Array.from({ length: count }, () => (withDerived ? Meter : Plain).create({ voltage: 230 }));
  graph.batch(() => meters.forEach((meter, i) => context?.attach("", `m${i}`, meter)));
  let delivered = 0;
  const stream = graph.changes();
  void (async () => {
    for await (const batch of stream) delivered += batch.length;
  })();
  let next = 0;
  const run = (changes: number): void => {
    const updates: Update[] = [];
    for (let i = 0; i < changes; i++) {
      const subject = meters[next++ % meters.length];
      if (subject !== undefined) updates.push({ subject, property: "power", value: next * 0.5 });
    }
    if (updates.length > 0) context?.write(updates);
  };
  await load(run); // warm
  delivered = 0;
  const percent = await load(run);
  const { dropped } = stream;
  await graph.close();
  return { percent, delivered, dropped };
}

console.log(
  `node ${process.version}; ${RATE} changes/s for ${SECONDS} s; percent of one core, less the idle loop; aim < 2 %`,
);
const idle = await load(() => {});
console.log(
  `idle loop: ${idle.toFixed(2)} %\n\n${"subjects".padEnd(44)}${SIZES.map((size) => String(size).padStart(10)).join("")}`,
);
for (const withDerived of [false, true]) {
  const cells: string[] = [];
  for (const size of SIZES) {
    const { percent, dropped } = await graphLoad(size, withDerived);
    cells.push(`${Math.max(0, percent - idle).toFixed(2)} %${dropped > 0 ? "!" : ""}`.padStart(10));
  }
  console.log(
    `${(withDerived ? "source → quality → derived → stream → reader" : "source → quality → stream → reader").padEnd(44)}${cells.join("")}`,
  );
}
const emitter = new EventEmitter();
let collected: unknown[] = [];
emitter.on("change", (change: unknown) => collected.push(change));
let at = 0;
const emitting = await load((count) => {
  for (let i = 0; i < count; i++) emitter.emit("change", { subject: at++ % 1_000, property: "power", value: at });
  collected = [];
});
console.log(
  `${"peer: EventEmitter into an array".padEnd(44)}${`${Math.max(0, emitting - idle).toFixed(2)} %`.padStart(10)}`,
);

// One derived value over four inputs: what does a write to one of them cost, observed?
const Four = defineSubject("bench.stream.Four", {
  props: { a: p.number().writable(), b: p.number().writable(), c: p.number().writable(), d: p.number().writable() },
  derived: { sum: (s) => s.a + s.b + s.c + s.d },
});
const graph = createGraph({ clock: createRealClock(), log: silentLog });
console.log(`\nderived over 4 discovered inputs, with a listener, per input write (aim 300 ns)`);
for (const count of [100, 1_000, 10_000]) {
  const fours = Array.from({ length: count }, () => Four.create({ a: 1, b: 2, c: 3, d: 4 }));
  let heard = 0;
  fours.forEach((four, i) => {
    graph.attach("/", `four${i}`, four);
    four.$on("sum", (sum) => void (heard += sum));
  });
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= 9; round++) {
    const rounds = Math.ceil(50_000 / count);
    const start = performance.now();
    for (let i = 0; i < rounds; i++)
      for (const four of fours) {
        four.a = round + i;
        four.b = round + i;
        four.c = round + i;
        four.d = round + i;
      }
    least = Math.min(least, ((performance.now() - start) * 1e6) / (rounds * count * 4));
  }
  console.log(`${`${count} subjects`.padEnd(20)}${least.toFixed(0).padStart(8)} ns${heard === -1 ? "" : ""}`);
  for (let i = 0; i < count; i++) graph.detach(`/four${i}`);
}
process.exit(0);
