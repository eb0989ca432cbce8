import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createManualClock, silentLog, type Commit } from "@steading/kernel";
import { HISTORY_SCHEMA } from "../src/history/history-schema.ts";
import { STATE_SCHEMA } from "../src/ledger/state-schema.ts";
import { openStore } from "../src/store.ts";

// Writes databases of the present schemas to fixtures/. Run it when a schema is about to be released:
//   npx tsx --conditions=@steading/source packages/store/scripts/make-schema-fixtures.ts
// and commit what appears. A fixture of a released schema is never made again.

const target = fileURLToPath(new URL("../fixtures/", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "steading-fixture-"));
const clock = createManualClock();
const store = await openStore({ dir, clock, log: silentLog });

for (let n = 0; n < 20; n++) {
  const level = n % 2 === 0 ? "error" : "info";
  const commit: Commit = {
    durability: "fixed",
    puts: [{ space: "thing", key: `k/${n}`, value: { n } }],
    records: (["audit", "runs", "bus"] as const).map((stream) => {
      return { stream, kind: "fixture", at: clock.now() + n, correlation: `run-${n % 3}`, data: { n, level } };
    }),
  };
  await store.ledger.commit(commit);
}
const readings = Array.from({ length: 200 }, (_, n) => {
  return { path: "/farm/tank/level", at: clock.now() - 7_200_000 + n * 30_000, value: n, quality: "good" as const };
});
await store.history.append(readings, { durability: "fixed" });
await store.close();

mkdirSync(target, { recursive: true });
copyFileSync(join(dir, "state.db"), join(target, `state-schema-${STATE_SCHEMA.migrations.length}.db`));
copyFileSync(join(dir, "history.db"), join(target, `history-schema-${HISTORY_SCHEMA.migrations.length}.db`));
rmSync(dir, { recursive: true });
