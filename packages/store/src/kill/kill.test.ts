import { createRealClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { bundleProgram, startProgram, type Program } from "../child-process.fixture.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { createClientNotes, note, unanswered, type ClientNotes } from "./client-notes.fixture.ts";
import { judge } from "./judge.fixture.ts";
import { ROOMY, type Plan } from "./plan.fixture.ts";
import { openRelayWire } from "./relay-wire.fixture.ts";

const PROGRAM = new URL("./killed.fixture.ts", import.meta.url);
/** Kills. Fewer in every run of the tests, `STEADING_KILL_ROUNDS=300` for the long one. */
const ROUNDS = Number(process.env["STEADING_KILL_ROUNDS"] ?? 60);
const SEED = Number(process.env["STEADING_SEED"] ?? 20_260_101);
/** Lives of one directory: each begins with what the last one left. */
const LIVES = 4;
const STARTING_MS = 400;
const LIVING_MS = 300;
const ANSWERS = 400;

/** A small generator with a known seed: a round that fails can be run again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Moment = { readonly kind: "starting" | "living" | "answer"; readonly after: number };

/** All three are drawn every time, so that the row does not depend on what was chosen. */
function drawMoment(random: () => number): Moment {
  const kind = random();
  const after = random();
  if (kind < 0.25) return { kind: "starting", after: after * STARTING_MS };
  if (kind < 0.75) return { kind: "living", after: after * LIVING_MS };
  return { kind: "answer", after: 1 + Math.floor(after * ANSWERS) };
}

/** Runs the program and kills it at the moment drawn for it. What it said until then is noted. */
async function liveAndDie(program: Program, plan: Plan, notes: ClientNotes, moment: Moment): Promise<void> {
  const child = startProgram(program, [JSON.stringify(plan)]);
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (ms: number): void => void timers.push(setTimeout(() => void child.kill(), ms));
  if (moment.kind === "starting") killAfter(moment.after);
  let lines = 0;
  for await (const line of child.lines) {
    note(notes, line);
    if (line === "open" && moment.kind === "living") killAfter(moment.after);
    if (moment.kind === "answer" && ++lines === moment.after) void child.kill();
  }
  for (const timer of timers) clearTimeout(timer);
  await child.kill();
  expect([child.process.exitCode, child.process.signalCode]).toEqual([null, "SIGKILL"]);
}

async function finishInPeace(program: Program, plan: Plan, notes: ClientNotes): Promise<void> {
  const child = startProgram(program, [JSON.stringify({ ...plan, finish: true })]);
  for await (const line of child.lines) note(notes, line);
  await child.ended;
  expect([child.process.exitCode, unanswered(notes)]).toEqual([0, []]);
}

// @proves store.kept.survives-kill store.ledger.state-and-record-together store.ledger.sequence-gap-free
// @proves store.queue.answer-waits-for-durable store.ledger.sequence-per-stream store.fixed.qos1-readings
// @proves kernel.door.crash-never-resends kernel.door.reservation-before-send
test(
  `what was answered before ${ROUNDS} kills is there after them, whole, without gaps, and no effect went out twice`,
  { timeout: 60_000 + ROUNDS * 10_000 },
  async () => {
    const program = bundleProgram(PROGRAM);
    const random = seeded(SEED);
    const kills: Record<string, number> = {};
    const totals = { fixed: 0, kept: 0, volatile: 0, effects: 0, unknown: 0, readings: 0 };
    for (let round = 0; round < ROUNDS;) {
      const dir = temporaryDirectory();
      const wires = temporaryDirectory();
      const notes = createClientNotes();
      const relays = 3;
      const ends = openWires(wires, relays);
      const plan = (finish: boolean): Plan => {
        const writers = 1 + Math.floor(random() * 16);
        const from = 1_000_000 * round;
        return { dir, wires, from, writers, relays, readers: 2, unanswered: unanswered(notes), finish };
      };
      const check = async (what: string): Promise<void> => {
        const store = await openTestStore(dir, { limits: ROOMY, clock: createRealClock(), classes: {} });
        expect(await judge(store, notes, ends), `seed ${SEED}, ${what}`).toEqual([]);
        await store.close();
      };
      for (let life = 0; life < LIVES && round < ROUNDS; life++, round++) {
        const moment = drawMoment(random);
        kills[moment.kind] = (kills[moment.kind] ?? 0) + 1;
        await liveAndDie(program, plan(false), notes, moment);
        await check(`round ${round}, ${moment.kind} ${moment.after}`);
      }
      await finishInPeace(program, plan(true), notes);
      await check(`after round ${round}`);
      for (const { durability } of notes.committed) totals[durability]++;
      for (const { stage } of notes.answered.values()) totals[stage === "unknown" ? "unknown" : "effects"]++;
      totals.volatile += notes.risked;
      totals.readings += notes.read.length;
    }
    console.info(`kill test: seed ${SEED}, killed ${JSON.stringify(kills)}, answered ${JSON.stringify(totals)}`);
    expect(Math.min(totals.fixed, totals.kept, totals.effects, totals.readings)).toBeGreaterThan(ROUNDS);
  },
);

function openWires(dir: string, relays: number) {
  return Array.from({ length: relays }, (_, relay) => openRelayWire(dir, relay));
}
