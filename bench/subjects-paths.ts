// @proves subjects.figure.path-resolve subjects.figure.path-build
// Resolving a path of three steps to a property, and printing the path of a subject, as the number of properties and
// of subjects grows. Aims: 500 ns to resolve, 300 ns to build. The peers: the same steps through plain Maps with the
// text split at its slashes, which neither escapes, nor checks shapes, nor knows providers; and a walk up to the root
// that joins names.
import { createRealClock, silentLog } from "@steading/kernel";
import { c, createGraph, defineSubject, p, state, type Graph, type Subject } from "@steading/subjects";

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 7;
const CALLS = 200_000;
let sink = 0;

function nanos(run: (i: number) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let i = 0; i < CALLS; i++) run(i);
    least = Math.min(least, ((performance.now() - start) * 1e6) / CALLS);
  }
  return least;
}

function row(name: string, cells: readonly number[], aim = ""): void {
  const [first = 1, , last = 1] = cells;
  console.log(
    `${name.padEnd(52)}${cells.map((ns) => `${ns.toFixed(0)} ns`.padStart(10)).join("")}   ×${(last / first).toFixed(2).padEnd(7)}${aim}`,
  );
}

function head(title: string, columns: readonly number[]): void {
  console.log(`\n${title.padEnd(52)}${columns.map((each) => String(each).padStart(10)).join("")}   growth`);
}

/** Ten thousand and more things, ten in a room: `/rooms[r12]/things[t3]/value`. */
function house(count: number, properties = 10): { graph: Graph; things: Subject[]; paths: string[] } {
  const Thing = defineSubject("bench.paths.Thing", {
    props: Object.fromEntries(
      Array.from({ length: properties }, (_, i) => [i === properties - 1 ? "value" : `p${i}`, p.number()]),
    ),
  });
  const Room = defineSubject("bench.paths.Room", { children: { things: c.map(undefined) } });
  const House = defineSubject("bench.paths.House", { children: { rooms: c.map(undefined) } });
  const things: Subject[] = [];
  const rooms = new Map<string, Subject>();
  for (let i = 0; i < count; i += 10) {
    const inside = new Map<string, Subject>();
    for (let j = 0; j < 10; j++) {
      const thing: Subject = Thing.create({ value: j });
      inside.set(`t${j}`, thing);
      things.push(thing);
    }
    rooms.set(`r${i / 10}`, Room.create({ things: inside }));
  }
  const graph = createGraph({ clock: createRealClock(), log: silentLog, root: House.create({ rooms }) });
  return { graph, things, paths: things.map((_, i) => `/rooms[r${Math.floor(i / 10)}]/things[t${i % 10}]/value`) };
}

/** Some of the places, the same for every size, so that caches of the machine play no part. */
const SOME = 64;

console.log(`node ${process.version}; best of ${ROUNDS} rounds of ${CALLS} calls over ${SOME} places`);

const provider = state();
const houses = SIZES.map((size) => house(size));
head("subjects in the graph", SIZES);
row(
  "locate a property (3 steps), as the tools do",
  houses.map(({ graph, paths }) =>
    nanos((i) => void (sink += graph.locate(paths[i % SOME] ?? "", provider).kind.length)),
  ),
  "aim 500 ns",
);
row(
  "graph.get (3 steps)",
  houses.map(({ graph, paths }) => nanos((i) => void (sink += graph.get(paths[i % SOME] ?? "") as number))),
);
row(
  "build a path, structure unchanged",
  houses.map(({ graph, things }) =>
    nanos((i) => void (sink += graph.pathOf(things[i % SOME] as Subject, provider)?.length ?? 0)),
  ),
  "aim 300 ns",
);
row(
  "build a path, structure changed before each",
  houses.map(({ graph, things }) => {
    const moving = things[SOME] as Subject;
    let flip = false;
    const change = (): void => {
      flip = !flip;
      graph.registry.setFacets(moving, "p0", flip ? { title: "a" } : {});
    };
    const both = nanos((i) => {
      change();
      sink += graph.pathOf(things[i % SOME] as Subject, provider)?.length ?? 0;
    });
    return Math.max(0, both - nanos(change));
  }),
  "aim 300 ns",
);

const plain = houses.map(({ paths }) => {
  const rooms = new Map<string, Map<string, { value: number; up: Map<string, unknown> }>>();
  paths.forEach((_, i) => {
    const room = rooms.get(`r${Math.floor(i / 10)}`) ?? new Map<string, { value: number; up: Map<string, unknown> }>();
    rooms.set(`r${Math.floor(i / 10)}`, room.set(`t${i % 10}`, { value: i, up: room }));
  });
  return rooms;
});
row(
  "peer: split at slashes, plain Maps",
  plain.map((rooms) =>
    nanos((i) => {
      const at = i % SOME;
      const [, room = "", thing = ""] = `/r${Math.floor(at / 10)}/t${at % 10}/value`.split("/");
      sink += rooms.get(room)?.get(thing)?.value ?? 0;
    }),
  ),
);

const WIDTHS = [10, 100, 1_000];
const wide = WIDTHS.map((width) => house(1_000, width));
head("properties per subject", WIDTHS);
row(
  "locate a property (3 steps)",
  wide.map(({ graph, paths }) =>
    nanos((i) => void (sink += graph.locate(paths[i % SOME] ?? "", provider).kind.length)),
  ),
  "flat",
);

if (sink === -1) console.log(sink);
process.exit(0);
