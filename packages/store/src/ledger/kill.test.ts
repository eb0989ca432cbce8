import { expect, test } from "vitest";
import { startChild } from "../child-process.fixture.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { judge, listen, nothingPromised } from "./promised.fixture.ts";

const CHILD = new URL("./committing.fixture.ts", import.meta.url);
/** A few by default; `STEADING_KILL_ROUNDS=300` for the long run. */
const ROUNDS = Number(process.env["STEADING_KILL_ROUNDS"] ?? 4);
const SEED = Number(process.env["STEADING_SEED"] ?? 20_260_101);

/** A small generator with a known seed: a round that fails can be run again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// @proves store.kept.survives-kill store.ledger.state-and-record-together store.ledger.sequence-gap-free
// @proves store.queue.answer-waits-for-durable store.ledger.sequence-per-stream store.fixed.qos1-readings
test(
  "what was answered before a kill is there after it, whole and without gaps",
  { timeout: ROUNDS * 20_000 },
  async () => {
    const random = seeded(SEED);
    const classes = ["fixed", "kept", "fixed,kept", "fixed,kept,volatile"];
    let answered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const dir = temporaryDirectory();
      // Twice in the same directory: the second life begins with what the first one left.
      for (const life of [1, 2]) {
        const killAfter = 1 + Math.floor(random() * 500);
        const writers = 1 + Math.floor(random() * 16);
        const child = startChild(CHILD, [dir, String(writers), classes[round % classes.length] ?? "fixed"]);
        const promised = nothingPromised();
        let lines = 0;
        for await (const line of child.lines) {
          listen(promised, line);
          if (++lines === killAfter) void child.kill();
        }
        await child.kill();
        const store = await openTestStore(dir);
        expect(promised.refused, `round ${round}, life ${life}`).toEqual([]);
        judge(store, promised);
        answered += promised.committed.length;
        await store.close();
      }
    }
    expect(answered).toBeGreaterThan(0);
  },
);
