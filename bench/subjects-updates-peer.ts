// One contender of subjects-updates, in a process of its own: heaps of a million listeners disturb each other.
import { signal as preactSignal, effect as preactEffect } from "@preact/signals-core";
import { createRealClock, silentLog } from "@steading/kernel";
import { createGraph, defineSubject, Folder, p, type Subject } from "@steading/subjects";
import { effect as alienEffect, signal as alienSignal } from "alien-signals";
import { autorun, configure, observable } from "mobx";

configure({ enforceActions: "never" }); // or it would be measured printing a warning for every write
const PROPERTIES = 10;
const ROUNDS = 5;
const NAMES = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"] as const;

/** Where listeners put what they hear, so that no engine can prove the work useless. */
const heard = new Float64Array(1);
function hear(value: number): void {
  heard[0] = (heard[0] ?? 0) + value;
}

interface Contender {
  /** Every property once, thing after thing. */
  sequential(round: number): void;
  /** Every property once, in the given order: property `i % 10` of thing `i / 10`. */
  random(round: number, order: Uint32Array): void;
}

interface Ten {
  p0: number;
  p1: number;
  p2: number;
  p3: number;
  p4: number;
  p5: number;
  p6: number;
  p7: number;
  p8: number;
  p9: number;
}
const zeros = (): Ten => ({ p0: 0, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, p6: 0, p7: 0, p8: 0, p9: 0 });

/** Plain assignments, as user code has them. */
const SETTERS: readonly ((thing: Ten, value: number) => void)[] = [
  (thing, value) => {
    thing.p0 = value;
  },
  (thing, value) => {
    thing.p1 = value;
  },
  (thing, value) => {
    thing.p2 = value;
  },
  (thing, value) => {
    thing.p3 = value;
  },
  (thing, value) => {
    thing.p4 = value;
  },
  (thing, value) => {
    thing.p5 = value;
  },
  (thing, value) => {
    thing.p6 = value;
  },
  (thing, value) => {
    thing.p7 = value;
  },
  (thing, value) => {
    thing.p8 = value;
  },
  (thing, value) => {
    thing.p9 = value;
  },
];

function subjects(count: number, isHeard = true): Contender {
  const Thing = defineSubject("bench.Thing", {
    props: {
      p0: p.number(),
      p1: p.number(),
      p2: p.number(),
      p3: p.number(),
      p4: p.number(),
      p5: p.number(),
      p6: p.number(),
      p7: p.number(),
      p8: p.number(),
      p9: p.number(),
    },
  });
  const graph = createGraph({ clock: createRealClock(), log: silentLog });
  const children = new Map<string, Subject>();
  for (let i = 0; i < count / PROPERTIES; i++) {
    const thing: Subject = Thing.create(zeros());
    if (isHeard) for (const name of NAMES) thing.$on(name, (value) => hear(value as number));
    children.set(`t${i}`, thing);
  }
  graph.attach("/", "things", Folder.create({ children }));
  const things = [...children.values()] as unknown as Ten[]; // owning code may write them all
  return {
    sequential(round) {
      let i = 0;
      for (const thing of things) {
        const value = round + i++ * 0.5;
        thing.p0 = value;
        thing.p1 = value;
        thing.p2 = value;
        thing.p3 = value;
        thing.p4 = value;
        thing.p5 = value;
        thing.p6 = value;
        thing.p7 = value;
        thing.p8 = value;
        thing.p9 = value;
      }
    },
    random(round, order) {
      for (let i = 0; i < order.length; i++) {
        const at = order[i] ?? 0;
        const thing = things[(at / PROPERTIES) | 0];
        if (thing !== undefined) SETTERS[at % PROPERTIES]?.(thing, round + i * 0.5);
      }
    },
  };
}

function objects(count: number): Contender {
  const things: Ten[] = [];
  const listeners = new Map<object, Map<string, Set<(value: number) => void>>>();
  for (let i = 0; i < count / PROPERTIES; i++) {
    const thing = zeros();
    things.push(thing);
    listeners.set(thing, new Map(NAMES.map((name) => [name, new Set([(value: number) => hear(value)])])));
  }
  function set(thing: Ten, name: keyof Ten, value: number): void {
    if (thing[name] === value) return;
    thing[name] = value;
    for (const listener of listeners.get(thing)?.get(name) ?? []) listener(value);
  }
  return {
    sequential(round) {
      let i = 0;
      for (const thing of things) {
        const value = round + i++ * 0.5;
        for (const name of NAMES) set(thing, name, value);
      }
    },
    random(round, order) {
      for (let i = 0; i < order.length; i++) {
        const at = order[i] ?? 0;
        const thing = things[(at / PROPERTIES) | 0];
        const name = NAMES[at % PROPERTIES];
        if (thing !== undefined && name !== undefined) set(thing, name, round + i * 0.5);
      }
    },
  };
}

/** One signal, box or the like per property. */
function cells<Cell>(
  count: number,
  make: () => Cell,
  listen: (cell: Cell) => void,
  write: (cell: Cell, value: number) => void,
): Contender {
  // Each is listened to as soon as it is made, as with the others: it keeps what belongs together close in memory.
  const all = Array.from({ length: count }, () => {
    const cell = make();
    listen(cell);
    return cell;
  });
  return {
    sequential(round) {
      let i = 0;
      for (const cell of all) write(cell, round + ((i++ / PROPERTIES) | 0) * 0.5);
    },
    random(round, order) {
      for (let i = 0; i < order.length; i++) {
        const cell = all[order[i] ?? 0];
        if (cell !== undefined) write(cell, round + i * 0.5);
      }
    },
  };
}

const CONTENDERS: Record<string, (count: number) => Contender> = {
  subjects: (count) => subjects(count),
  "subjects, nobody listens": (count) => subjects(count, false),
  "object + Map": objects,
  "alien-signals": (count) =>
    cells(
      count,
      () => alienSignal(0),
      (cell) => void alienEffect(() => hear(cell())),
      (cell, value) => cell(value),
    ),
  "preact signals": (count) =>
    cells(
      count,
      () => preactSignal(0),
      (cell) => void preactEffect(() => hear(cell.value)),
      (cell, value) => {
        cell.value = value;
      },
    ),
  mobx: (count) =>
    cells(
      count,
      () => observable.box(0, { deep: false }),
      (cell) => void autorun(() => hear(cell.get())),
      (cell, value) => cell.set(value),
    ),
};

/** Same order every time, on every contender. */
function shuffled(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  let seed = 12345;
  for (let i = count - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}

function best(run: (round: number) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS; round++) {
    const start = performance.now();
    run(round);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const [name = "", size = "0"] = process.argv.slice(2);
const count = Number(size);
const contender = CONTENDERS[name]?.(count);
if (contender === undefined) throw new Error(`There is no contender ${name}.`);
const order = shuffled(count);
const sequential = best((round) => contender.sequential(round));
const random = best((round) => contender.random(round + 0.25, order));
console.log(
  JSON.stringify({
    name,
    count,
    sequential: (sequential * 1e6) / count,
    random: (random * 1e6) / count,
    heard: heard[0],
  }),
);
process.exit(0);
