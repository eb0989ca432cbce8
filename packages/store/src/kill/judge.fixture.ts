import type { Durability, Ledger, StoredRecord, StreamName } from "@steading/kernel";
import { STREAMS } from "@steading/kernel";
import type { Store } from "../store.ts";
import type { ClientNotes } from "./client-notes.fixture.ts";
import { BATCH, CLASSES, COMMIT_KIND, PLACES, seriesOf } from "./plan.fixture.ts";
import type { RelayWire } from "./relay-wire.fixture.ts";

/** Holds a store and the relays' wires against what the client wrote down. Returns what is wrong; nothing is right. */
export async function judge(store: Store, notes: ClientNotes, wires: readonly RelayWire[]): Promise<string[]> {
  const streams = new Map(STREAMS.map((stream) => [stream, allRecords(store.ledger, stream)]));
  const of = (stream: StreamName): StoredRecord[] => streams.get(stream) ?? [];
  return [
    ...notes.strange,
    ...STREAMS.flatMap((stream) => gaps(store.ledger, stream, of(stream))),
    ...notes.committed.flatMap(({ durability, n, seq }) => {
      const { stream } = PLACES[durability];
      return of(stream)[seq - 1]?.data["n"] === n
        ? []
        : [`${durability} commit ${n} was answered and is not at ${stream} ${seq}`];
    }),
    ...CLASSES.flatMap((durability) => halves(store.ledger, durability, of(PLACES[durability].stream))),
    ...effects(notes, wires, of("audit")),
    ...(await readings(store, notes)),
  ];
}

function gaps(ledger: Ledger, stream: StreamName, records: readonly StoredRecord[]): string[] {
  const at = records.findIndex(({ seq }, i) => seq !== i + 1);
  if (at !== -1) return [`${stream} has ${records[at]?.seq} where ${at + 1} belongs`];
  return ledger.lastSeq(stream) === records.length ? [] : [`${stream} says it ends at ${ledger.lastSeq(stream)}`];
}

/** State and record of a commit are both there or both missing, whether anybody was answered or not. */
function halves(ledger: Ledger, durability: Durability, records: readonly StoredRecord[]): string[] {
  const told = new Set(records.flatMap(({ kind, data }) => (kind === COMMIT_KIND ? [`k/${String(data["n"])}`] : [])));
  const put = new Set(allKeys(ledger, PLACES[durability].space));
  return [
    ...[...told].filter((key) => !put.has(key)).map((key) => `${durability} ${key} is recorded and not there`),
    ...[...put].filter((key) => !told.has(key)).map((key) => `${durability} ${key} is there and not recorded`),
  ];
}

function effects(
  { asked, answered }: ClientNotes,
  wires: readonly RelayWire[],
  audit: readonly StoredRecord[],
): string[] {
  const wrong: string[] = [];
  const times = new Map<string, number>();
  for (const wire of wires) for (const { key } of wire.lines()) times.set(key, (times.get(key) ?? 0) + 1);
  for (const [key, count] of times) {
    if (count > 1) wrong.push(`${key} was put on the wire ${count} times`);
    if (!asked.has(key)) wrong.push(`${key} was put on the wire and never asked for`);
  }
  const reserved = new Set(audit.flatMap(({ kind, correlation }) => (kind === "effect.reserved" ? [correlation] : [])));
  for (const key of times.keys())
    if (!reserved.has(key)) wrong.push(`${key} was put on the wire without a reservation`);
  const ended = new Set(audit.map(({ data }) => `${String(data["action"])} ${String(data["stage"])}`));
  for (const [key, { stage, action }] of answered) {
    if (!ended.has(`${action} ${stage}`)) wrong.push(`${key} was answered ${stage}, of which there is no record`);
    if (stage === "observed" && times.get(key) !== 1)
      wrong.push(`${key} was observed and put on the wire ${times.get(key) ?? 0} times`);
    if (stage !== "observed" && stage !== "unknown") wrong.push(`${key} was answered ${stage}`);
  }
  return wrong;
}

/** Every batch that was answered is there whole, and hours say what the readings say. */
async function readings({ history }: Store, { read }: ClientNotes): Promise<string[]> {
  const wrong: string[] = [];
  for (const { n, from } of read) {
    const path = seriesOf(n);
    const { readings: found } = await history.range({ path, from, to: from + BATCH * 1_000, limit: 10_000 });
    const times = new Set(found.map(({ at }) => at));
    const missing = Array.from({ length: BATCH }, (_, i) => from + i * 1_000).filter((at) => !times.has(at));
    if (missing.length > 0) wrong.push(`batch ${n} was answered and lacks ${missing.length} readings`);
  }
  for (const { path } of history.series({ prefix: "/kill/" })) {
    const range = { path, from: 0, to: Number.MAX_SAFE_INTEGER / 2 };
    let count = 0;
    for (let from = 0; ;) {
      const page = await history.range({ ...range, from, limit: 10_000 });
      count += page.readings.length;
      if (!page.truncated) break;
      from = (page.readings.at(-1)?.at ?? 0) + 1;
    }
    const { count: summed } = await history.summary(range);
    if (summed !== count) wrong.push(`${path} has ${count} readings and its hours say ${summed}`);
  }
  return wrong;
}

function allRecords(ledger: Ledger, stream: StreamName): StoredRecord[] {
  const all: StoredRecord[] = [];
  for (
    let page = ledger.records(stream);
    page.length > 0;
    page = ledger.records(stream, { after: all.at(-1)?.seq ?? 0 })
  )
    all.push(...page);
  return all;
}

function* allKeys(ledger: Ledger, space: string): Generator<string> {
  for (let page = ledger.list(space); page.length > 0; page = ledger.list(space, { after: page.at(-1)?.key ?? "" }))
    for (const { key } of page) yield key;
}
