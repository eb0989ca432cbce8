import { parseArgs } from "node:util";
import { createRealClock, silentLog, type Caller, type Tool } from "@steading/kernel";
import {
  c,
  createGraph,
  createSubjectTools,
  declaredMethods,
  defineInterface,
  defineSubject,
  p,
  state,
  type Graph,
} from "@steading/subjects";

// @proves subjects.figure.query-indexed subjects.figure.query-wide-map subjects.figure.query-unindexed subjects.figure.serialise subjects.figure.text-search
// How long `query` takes as the graph grows: a type filter with 100 hits, with none, and the first 100 children of one
// map; and `search` for a text that is nowhere, over all paths and titles; at rest, and while 20 000 changes a second flow through a change stream with a reader. The peer is the walk that
// everybody writes first: the same tree as plain objects, visited whole, compared by type name. The floor is serialising
// the answer, which no server can avoid.

const { values: flags } = parseArgs({ options: { seconds: { type: "string", default: "1" } } });
const runMs = Number(flags.seconds) * 1_000;
const SIZES = [1_000, 10_000, 100_000];
const CHANGES_PER_SECOND = 20_000;
const caller: Caller = { principal: "bench", role: "operator", transport: "internal", correlation: "bench" };

const Rare = defineInterface("bench.Rare", { description: "One in a thousand", props: { level: p.number() } });
const Absent = defineInterface("bench.Absent", { description: "Known, and nowhere to be found", props: {} });
const ten = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`value${i}`, p.number({ unit: "DegreeCelsius" })]));
const measured = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`value${i}`, 20 + i / 4]));
const Plain = defineSubject("bench.Plain", {
  props: { ...ten, level: p.number().writable() },
  title: ({ level }) => `Unit ${level}`,
});
const Special = defineSubject("bench.Special", { implements: [Rare], props: { ...ten, level: p.number().writable() } });
const Ghost = defineSubject("bench.Ghost", { implements: [Absent], props: {} });
const Rack = defineSubject("bench.Rack", { children: { units: c.map() } });
const Site = defineSubject("bench.Site", { children: { racks: c.list(() => Rack), wide: c.map(), ghost: c.one() } });

interface PlainNode {
  readonly type: string;
  readonly values: Record<string, number>;
  readonly children: PlainNode[];
}

/** Racks of 100, 100 special units spread evenly, and beside them one map with all plain units again as a flat list. */
function build(size: number) {
  const racks = Math.ceil(size / 100);
  const every = Math.floor(size / 100);
  const changing: { level: number }[] = [];
  const peer: PlainNode = { type: "bench.Site", values: {}, children: [] };
  const rackList = [];
  for (let r = 0; r < racks; r++) {
    const units = new Map();
    const peerRack: PlainNode = { type: "bench.Rack", values: {}, children: [] };
    for (let u = 0; u < 100; u++) {
      const n = r * 100 + u;
      const unit =
        n % every === 0 ? Special.create({ ...measured, level: n }) : Plain.create({ ...measured, level: n });
      units.set(`u${n}`, unit);
      changing.push(unit);
      peerRack.children.push({
        type: n % every === 0 ? "bench.Special" : "bench.Plain",
        values: { level: n },
        children: [],
      });
    }
    rackList.push(Rack.create({ units }));
    peer.children.push(peerRack);
  }
  const wide = new Map(Array.from({ length: size }, (_, n) => [`w${n}`, Plain.create({ ...measured, level: n })]));
  const root = Site.create({ racks: rackList, wide, ghost: Ghost.create() });
  const graph = createGraph({ clock: createRealClock(), log: silentLog, root });
  root.ghost = null; // its type stays known
  return { graph, changing, peer };
}

function peerWalk(node: PlainNode, type: string, found: PlainNode[] = []): PlainNode[] {
  for (const child of node.children) {
    if (child.type === type) found.push(child);
    peerWalk(child, type, found);
  }
  return found;
}

interface Question {
  readonly name: string;
  readonly tool?: string;
  readonly args: object;
  readonly peer?: () => unknown;
}

interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly runs: number;
}

async function time(work: () => unknown, between: () => Promise<void> = async () => {}): Promise<Timing> {
  for (let i = 0; i < 20; i++) await work();
  const samples: number[] = [];
  const until = performance.now() + runMs;
  while (performance.now() < until) {
    const started = performance.now();
    await work();
    samples.push(performance.now() - started);
    await between();
  }
  samples.sort((a, b) => a - b);
  const at = (share: number) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? NaN;
  return { p50: at(0.5), p95: at(0.95), runs: samples.length };
}

/** Writes 20 000 changes a second in small batches, with a reader on the change stream, as the product has one. */
function startFlow(graph: Graph, changing: readonly { level: number }[]) {
  const stream = graph.changes();
  let read = 0;
  const reading = (async () => {
    for await (const batch of stream) read += batch.length;
  })();
  let written = 0;
  const started = performance.now();
  return {
    /** Catches up with the clock, then lets timers and the reader run. */
    async turn() {
      const due = ((performance.now() - started) / 1_000) * CHANGES_PER_SECOND;
      for (; written < due; written++) {
        const subject = changing[written % changing.length];
        if (subject !== undefined) subject.level = written;
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
    async stop() {
      const seconds = (performance.now() - started) / 1_000;
      stream.close();
      await reading;
      return { perSecond: Math.round(written / seconds), read };
    },
  };
}

function ask(tool: Tool, args: object) {
  const { input } = tool.parse(args);
  const context = {
    caller,
    signal: new AbortController().signal,
    progress() {},
    perform: () => Promise.reject(new Error("no door")),
  };
  return () => tool.run(input, context);
}

const ms = (timing: Timing) => `${timing.p50.toFixed(3)} / ${timing.p95.toFixed(3)}`;

console.log(
  `node ${process.version}, ${runMs} ms a cell, p50 / p95 in ms; 10 properties a subject; limits 100 subjects, 100 000 characters`,
);
console.log(
  "| subjects | question | at rest | under 20 000 changes/s | plain walk (peer) | serialise (floor) | query : peer |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const size of SIZES) {
  const { graph, changing, peer } = build(size);
  const tools = createSubjectTools(graph, (config) => {
    config.pathProvider = state();
    config.addMetadataProvider(declaredMethods());
  });
  const named = (wanted: string): Tool => {
    const found = [...tools.tools, ...tools.extras.tools].find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`no ${wanted}`);
    return found;
  };
  const questions: readonly Question[] = [
    {
      name: "type filter, 100 hits, depth 10",
      args: { depth: 10, filter: { types: ["bench.Rare"] } },
      peer: () => peerWalk(peer, "bench.Special"),
    },
    {
      name: "the same with properties",
      args: { depth: 10, includeProperties: true, filter: { types: ["bench.Rare"] } },
      peer: () => peerWalk(peer, "bench.Special"),
    },
    {
      name: "type filter, no hit, depth 10",
      args: { depth: 10, filter: { types: ["bench.Absent"] } },
      peer: () => peerWalk(peer, "bench.Absent"),
    },
    { name: "one wide map, first 100", args: { path: "/wide", depth: 1 } },
    { name: "the same with properties", args: { path: "/wide", depth: 1, includeProperties: true } },
    { name: "search for text, no hit", tool: "search", args: { path: "/wide", query: "nowhere" } },
  ];
  for (const question of questions) {
    const run = ask(named(question.tool ?? "query"), question.args);
    const answer = await run();
    const atRest = await time(run);
    const flow = startFlow(graph, changing);
    const flowing = await time(run, () => flow.turn());
    const { perSecond } = await flow.stop();
    const peerTime = question.peer === undefined ? undefined : await time(question.peer);
    const floor = await time(() => JSON.stringify(answer));
    const ratio = peerTime === undefined ? "–" : (atRest.p50 / peerTime.p50).toFixed(2);
    const found = `${JSON.stringify(answer["subjectCount"])} found`;
    console.log(
      `| ${graph.registry.count} | ${question.name} (${found}) | ${ms(atRest)} | ${ms(flowing)} at ${perSecond}/s | ${peerTime === undefined ? "–" : ms(peerTime)} | ${ms(floor)} | ${ratio} |`,
    );
  }
  await graph.close();
}
