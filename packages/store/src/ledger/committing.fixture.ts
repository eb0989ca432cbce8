import { writeSync } from "node:fs";
import { createRealClock, silentLog, type Durability } from "@steading/kernel";
import { openStore } from "../store.ts";

// Commits and prints each answer, so that whoever kills or disturbs it knows what was promised.
//   <dir> <writers> <classes> [commits]      without a number of commits it goes on for ever
const [dir = "", writers = "8", classes = "fixed,kept", commits = "Infinity"] = process.argv.slice(2);
const limits = { reserveBytes: 1024 * 1024 };
// Every class is tried with every stream, so commits are as safe as they ask to be and no safer.
const asked = {
  spaces: { "": "volatile" },
  streams: { audit: "volatile", runs: "volatile", bus: "volatile" },
} as const;
const store = await openStore({ dir, clock: createRealClock(), log: silentLog, limits, classes: asked });
say("open");

// Only names that the port knows are passed in.
const durabilities = classes.split(",") as Durability[];
let next = store.ledger.lastSeq("audit");
const end = next + Number(commits);

async function commitUntilEnd(): Promise<void> {
  while (next < end) {
    const n = next++;
    const durability = durabilities[n % durabilities.length] ?? "fixed";
    const at = Date.now();
    const committing = store.ledger.commit({
      durability,
      puts: [{ space: "thing", key: `k/${n}`, value: { n, padding: "x".repeat(n % 500) } }],
      records: [
        { stream: "audit", kind: "test.commit", at, data: { n } },
        { stream: "bus", kind: "test.commit", at, data: { n } },
      ],
    });
    const reading = { path: `/thing/${n}`, at: at - (n % 1_000), value: n, quality: "good" as const };
    const appending = store.history.append([reading], { durability }).then(
      () => say(`read ${n} ${durability}`),
      (error: unknown) => say(`unread ${n} ${codeOf(error)}`),
    );
    try {
      const { seqs } = await committing;
      say(`committed ${n} ${seqs.join(" ")} ${durability}`);
    } catch (error) {
      say(`refused ${n} ${codeOf(error)}`);
    }
    await appending;
  }
}

/** Written at once, so that a kill cannot swallow it; a reader who is slow is waited for. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

await Promise.all(Array.from({ length: Number(writers) }, commitUntilEnd));
say(`transactions ${store.counters().ledger.transactions}`);
await store.close();
