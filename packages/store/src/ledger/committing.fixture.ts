import { writeSync } from "node:fs";
import { createRealClock, silentLog, type Durability } from "@steading/kernel";
import { openStore } from "../store.ts";

// Commits for ever and prints each commit once it is answered, so that whoever kills it knows what was promised.
const [dir = "", writers = "8"] = process.argv.slice(2);
const store = await openStore({ dir, clock: createRealClock(), log: silentLog });
writeSync(1, "open\n");

const CLASSES: readonly Durability[] = ["fixed", "kept"];
let next = store.ledger.lastSeq("audit");

async function commitForEver(): Promise<never> {
  for (;;) {
    const n = next++;
    const durability = CLASSES[n % 2] ?? "fixed";
    const { seqs } = await store.ledger.commit({
      durability,
      puts: [{ space: "thing", key: `k/${n}`, value: { n, padding: "x".repeat(n % 500) } }],
      records: [
        { stream: "audit", kind: "test.commit", at: Date.now(), data: { n } },
        { stream: "bus", kind: "test.commit", at: Date.now(), data: { n } },
      ],
    });
    writeSync(1, `${n} ${seqs.join(" ")} ${durability}\n`);
  }
}
await Promise.all(Array.from({ length: Number(writers) }, commitForEver));
