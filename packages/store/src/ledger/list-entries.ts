import type { Entry, Json } from "@steading/kernel";
import type { Overlay } from "./overlay.ts";
import type { StateReader } from "./state-reader.ts";

export interface ListEntries {
  readonly overlay: Overlay;
  readonly reader: StateReader;
  readonly space: string;
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Two ordered runs of keys made one; where both have a key, the overlay is the younger. */
export function listEntries({
  overlay,
  reader,
  space,
  prefix,
  after,
  limit,
}: ListEntries): { key: string; entry: Entry }[] {
  const found: { key: string; entry: Entry }[] = [];
  const queued = overlay.keys(space, prefix, after);
  let at = 0;
  const take = (key: string, json: string | undefined, revision: number): void => {
    if (json !== undefined) found.push({ key, entry: toEntry(json, revision) });
  };
  const takeQueued = (key: string): void => {
    const entry = overlay.get(space, key);
    if (entry) take(key, entry.json, entry.revision);
  };
  if (limit <= 0) return found;
  for (const row of reader.keys(space, prefix, after)) {
    for (let key = queued[at]; key !== undefined && key < row.key && found.length < limit; key = queued[++at])
      takeQueued(key);
    if (found.length >= limit) return found;
    if (queued[at] === row.key) takeQueued(queued[at++] ?? row.key);
    else take(row.key, row.json, row.revision);
    if (found.length >= limit) return found;
  }
  for (let key = queued[at]; key !== undefined && found.length < limit; key = queued[++at]) takeQueued(key);
  return found;
}

/** A copy of its own for every reader. */
export function toEntry(json: string, revision: number): Entry {
  return { value: JSON.parse(json) as Json, revision }; // written by encodeCommit
}
