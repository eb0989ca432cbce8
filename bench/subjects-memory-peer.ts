// One contender of subjects-memory, in a process of its own, started with --expose-gc.
import { createRealClock, silentLog } from "@steading/kernel";
import {
  createGraph,
  defineSubject,
  Folder,
  p,
  type Source,
  type SourceContext,
  type Subject,
} from "@steading/subjects";
import { signal } from "alien-signals";
import { observable } from "mobx";

const NAMES = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"] as const;

/** A mix as devices have it: seven numbers with decimals, two texts, a switch. */
function values(i: number) {
  return {
    p0: i + 0.01,
    p1: i + 0.11,
    p2: i + 0.21,
    p3: i + 0.31,
    p4: i + 0.41,
    p5: i + 0.51,
    p6: i + 0.61,
    p7: "auto",
    p8: i % 2 === 0 ? ("open" as const) : ("shut" as const),
    p9: i % 2 === 0,
  };
}

const Thing = defineSubject("bench.Thing", {
  props: {
    ...Object.fromEntries(NAMES.slice(0, 7).map((name) => [name, p.number({ unit: "DegreeCelsius" })])),
    p7: p.string(),
    p8: p.enum(["open", "shut"]),
    p9: p.boolean(),
  },
});

const kept: unknown[] = [];

/** Built and attached under a map, as a discovered device would be. */
function subjects(count: number): Subject[] {
  const graph = createGraph({ clock: createRealClock(), log: silentLog });
  graph.attach("/", "things", Folder.create());
  const all: Subject[] = [];
  for (let i = 0; i < count; i++) {
    const thing: Subject = Thing.create(values(i));
    graph.attach("/things", `t${i}`, thing);
    all.push(thing);
  }
  kept.push(graph);
  return all;
}

async function owned(count: number): Promise<void> {
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
  await graph.addSource("bench", source, { mount: "/things" }).start();
  for (let i = 0; i < count; i++) {
    const thing: Subject = Thing.create();
    context?.attach("", `t${i}`, thing);
    context?.write(Object.entries(values(i)).map(([property, value]) => ({ subject: thing, property, value })));
  }
  kept.push(graph);
}

const CONTENDERS: Record<string, (count: number) => void | Promise<void>> = {
  subjects: (count) => void subjects(count),
  "subjects, a listener each": (count) => {
    for (const thing of subjects(count)) for (const name of NAMES) thing.$on(name, () => {});
  },
  "subjects, owned by a source": owned,
  "plain object in a Map": (count) => {
    const map = new Map<string, object>();
    for (let i = 0; i < count; i++) map.set(`t${i}`, values(i));
    kept.push(map);
  },
  "alien-signals": (count) => {
    const map = new Map<string, object>();
    for (let i = 0; i < count; i++)
      map.set(`t${i}`, Object.fromEntries(Object.entries(values(i)).map(([name, value]) => [name, signal(value)])));
    kept.push(map);
  },
  mobx: (count) => {
    const map = new Map<string, object>();
    for (let i = 0; i < count; i++)
      map.set(
        `t${i}`,
        Object.fromEntries(
          Object.entries(values(i)).map(([name, value]) => [name, observable.box(value, { deep: false })]),
        ),
      );
    kept.push(map);
  },
};

function heap(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const [name = "", size = "0"] = process.argv.slice(2);
const build = CONTENDERS[name];
if (build === undefined) throw new Error(`There is no contender ${name}.`);
await build(10); // code and types are there before the count begins
const before = heap();
await build(Number(size));
const bytes = (heap() - before) / Number(size);
console.log(JSON.stringify({ name, count: Number(size), bytes, kept: kept.length }));
process.exit(0);
