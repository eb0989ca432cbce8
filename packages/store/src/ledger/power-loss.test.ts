import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startChild } from "../child-process.fixture.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { afterPowerLoss, readDiskTrace, traceArguments } from "./disk-trace.fixture.ts";
import { judge, listen, nothingPromised } from "./promised.fixture.ts";

const CHILD = new URL("./committing.fixture.ts", import.meta.url);
const STRACE = "strace";
const hasStrace = spawnSync(STRACE, ["-ff", "-o", "/dev/null", "true"]).status === 0;
const FILES = ["state.db", "state.db-wal"];

describe.skipIf(!hasStrace)("power loss", () => {
  // @proves store.fixed.survives-power-loss store.fixed.fsync-before-answer store.ledger.state-and-record-together
  test(
    "whatever the disk keeps of what was not synced, all fixed commits that were answered are there",
    { timeout: 120_000 },
    async () => {
      const dir = temporaryDirectory();
      const traces = temporaryDirectory();
      const around = [STRACE, ...traceArguments(join(traces, "trace"))];
      // Enough for many transactions, each of which may be torn. The log is not full by then: that it is carried over into the
      // database while power goes is not tried here.
      const child = startChild(CHILD, [dir, "2", "fixed", "400"], around);
      for await (const line of child.lines) if (line.startsWith("transactions")) break;
      await child.kill();

      const events = readDiskTrace(traces, "trace");
      const answers = events.filter((event) => event.kind === "said");
      expect(answers.length).toBeGreaterThan(400);
      let seed = 7;
      const random = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
      for (let round = 0; round < 12; round++) {
        // The power goes right after somebody was answered: the worst moment there is.
        const index = Math.floor(random() * answers.length);
        const moment = answers[index]?.end ?? 0;
        const share = [0, 1, 0.5][round % 3] ?? 0;
        const lost = temporaryDirectory();
        for (const file of FILES)
          writeFileSync(
            join(lost, file),
            afterPowerLoss(events, file, moment, () => random() < share),
          );
        const promised = nothingPromised();
        for (const said of answers.slice(0, index + 1))
          for (const line of said.line.split("\n")) listen(promised, line);
        const store = await openTestStore(lost);
        // The history's files were left behind; what it promised is another matter.
        judge(store, { ...promised, read: [] });
        await store.close();
      }
    },
  );
});
