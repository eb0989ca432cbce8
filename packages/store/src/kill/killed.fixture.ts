import { BATCH, CLASSES, COMMIT_KIND, PLACES, seriesOf, type Asked, type Plan } from "./plan.fixture.ts";
import { openSmallHub, say } from "./small-hub.fixture.ts";

// A small hub: commits of every class, effects through the real door, batches of readings. It prints what it asks for and
// what it was answered, and whoever reads that knows what was promised when it dies.
const plan = JSON.parse(process.argv[2] ?? "") as Plan; // given by kill.test.ts
const { clock, store, door, wires, perform } = await openSmallHub(plan);
const { ledger, history } = store;
say("open");
await door.recover(new AbortController().signal);
say("recovered");

async function ask(asked: Asked): Promise<void> {
  const { relay, key, on } = asked;
  say(`asked ${relay} ${key} ${on}`);
  const { receipt } = await perform(asked);
  say(`answered ${key} ${receipt.stage} ${receipt.action}`);
}

async function switchForever(relay: number): Promise<void> {
  for (let n = 0; ; n++) await ask({ relay, key: `${relay}-${plan.from}-${n}`, on: wires[relay]?.isOn() === false });
}

let next = plan.from;
async function commitForever(): Promise<void> {
  for (;;) {
    const n = next++;
    const durability = CLASSES[n % CLASSES.length] ?? "fixed";
    const { space, stream } = PLACES[durability];
    const { seqs } = await ledger.commit({
      durability,
      puts: [{ space, key: `k/${n}`, value: { n, padding: "x".repeat(n % 500) } }],
      records: [{ stream, kind: COMMIT_KIND, at: clock.now(), data: { n } }],
    });
    say(`committed ${durability} ${n} ${seqs[0]}`);
    // Volatile answers come at once: without a pause nobody else would have a turn.
    if (durability === "volatile") await new Promise(setImmediate);
  }
}

let nextBatch = plan.from;
async function readForever(): Promise<void> {
  for (;;) {
    const n = nextBatch++;
    const durability = CLASSES[n % CLASSES.length] ?? "fixed";
    const start = clock.now() - 3_600_000;
    const readings = Array.from({ length: BATCH }, (_, i) => {
      return { path: seriesOf(n), at: start + i * 1_000 + (n % 1_000), value: n, quality: "good" as const };
    });
    const { accepted } = await history.append(readings, { durability });
    say(`read ${durability} ${n} ${start + (n % 1_000)} ${accepted}`);
    if (durability === "volatile") await new Promise(setImmediate);
  }
}

for (const asked of plan.unanswered) await ask(asked);
if (plan.finish) await store.close();
else {
  await Promise.all([
    ...Array.from({ length: plan.writers }, commitForever),
    ...wires.map((_, relay) => switchForever(relay)),
    ...Array.from({ length: plan.readers }, readForever),
  ]);
}
