// @proves subjects.figure.build-attach subjects.figure.attach-detach subjects.figure.detach-heap
// Building a graph, and attaching and detaching 5 000 subjects of ten properties in graphs of growing size: as one
// subtree, and one by one into a map. With a lifecycle listener and a structure stream, as the product has them. The
// floor is the same number of entries put into and taken out of a plain Map.
import { createRealClock, silentLog } from "@steading/kernel";
import { createGraph, defineInterface, defineSubject, Folder, p, type Graph, type Subject } from "@steading/subjects";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MOVED = 5_000;
const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 7;

const Sensor = defineInterface("bench.Sensor");
const Thing = defineSubject("bench.Thing", {
  implements: [Sensor],
  props: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, p.number()])),
});
const VALUES = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, i + 0.5]));

function things(count: number): Map<string, Subject> {
  return new Map(Array.from({ length: count }, (_, i) => [`t${i}`, Thing.create(VALUES)]));
}

function open(count: number): { graph: Graph; heard: () => number } {
  const graph = createGraph({ clock: createRealClock(), log: silentLog });
  let heard = 0;
  graph.onLifecycle(() => void (heard += 1));
  graph.attach("/", "others", Folder.create({ children: things(count) }));
  void (async () => {
    for await (const batch of graph.structure()) heard += batch.length;
  })();
  return { graph, heard: () => heard };
}

function best(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

const least = (list: readonly number[]): string => `${Math.min(...list).toFixed(2)} ms`.padStart(11);

console.log(
  `node ${process.version}; best of ${ROUNDS}; aim: 100 000 built and attached in 1 s, ${MOVED} attached or detached in 20 ms`,
);

console.log(`\n${"build and attach".padEnd(36)}${"total".padStart(11)}${"per subject".padStart(14)}`);
for (const size of SIZES) {
  const times = Array.from({ length: 3 }, () => {
    const graph = createGraph({ clock: createRealClock(), log: silentLog });
    return best(() => graph.attach("/", "things", Folder.create({ children: things(size) })));
  });
  console.log(
    `${`${size} subjects × 10 properties`.padEnd(36)}${least(times)}${`${((Math.min(...times) * 1e6) / size).toFixed(0)} ns`.padStart(14)}`,
  );
}

console.log(`\n${`${MOVED} in a graph of`.padEnd(36)}${SIZES.map((size) => String(size).padStart(11)).join("")}`);
const table = new Map<string, number[][]>();
SIZES.forEach((size, column) => {
  const { graph } = open(size);
  const moved = things(MOVED);
  const note = (name: string, ms: number): void => {
    const rows = table.get(name) ?? SIZES.map(() => []);
    rows[column]?.push(ms);
    table.set(name, rows);
  };
  const folder = Folder.create({ children: moved });
  for (let round = 0; round < ROUNDS; round++) {
    note(
      "attach as one subtree",
      best(() => graph.attach("/", "moved", folder)),
    );
    note(
      "detach as one subtree",
      best(() => void graph.detach("/moved")),
    );
  }
  graph.attach("/", "target", Folder.create());
  for (let round = 0; round < ROUNDS; round++) {
    note(
      "attach one by one",
      best(() => moved.forEach((thing, key) => graph.attach("/target", key, thing))),
    );
    note(
      "detach one by one",
      best(() => moved.forEach((thing) => void graph.detach(thing))),
    );
  }
  const plain = new Map<string, Subject>();
  for (let round = 0; round < ROUNDS; round++) {
    note(
      "floor: Map.set",
      best(() => moved.forEach((thing, key) => plain.set(key, thing))),
    );
    note(
      "floor: Map.delete",
      best(() => moved.forEach((_, key) => plain.delete(key))),
    );
  }
});
for (const [name, columns] of table) console.log(`${name.padEnd(36)}${columns.map(least).join("")}`);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag just made
async function heap(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // the structure stream hands over what it holds
    collect();
  }
  return process.memoryUsage().heapUsed;
}
const { graph } = open(100_000);
const before = await heap();
graph.attach("/", "moved", Folder.create({ children: things(MOVED) }));
graph.locate("/moved/t17/p3");
const full = await heap();
graph.detach("/moved");
// The reader of the structure stream still has its last batch in hand; give it another, or it keeps what was detached.
await heap();
graph.attach("/", "last", Folder.create());
const after = await heap();
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(
  `\nheap: ${mb(before)} → ${mb(full)} with ${MOVED} more → ${mb(after)} after detaching them (${(((after - before) / before) * 100).toFixed(2)} % of where it began)`,
);
process.exit(0);
