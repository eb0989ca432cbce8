import { STREAMS, type Commit, type Json, type NewRecord } from "@steading/kernel";
import { storeError } from "../store-errors.ts";

/** A commit with its values as JSON text: what is queued cannot change under us any more, and its size is known. */
export interface EncodedCommit {
  readonly puts: readonly { readonly space: string; readonly key: string; readonly json: string }[];
  readonly deletes: readonly { readonly space: string; readonly key: string }[];
  readonly records: readonly EncodedRecord[];
  /** Payload, counted in UTF-16 units: for the ASCII that JSON mostly is, that is bytes. */
  readonly bytes: number;
}
export interface EncodedRecord {
  readonly stream: NewRecord["stream"];
  readonly kind: string;
  readonly at: number;
  readonly correlation: string | undefined;
  readonly json: string;
  /** The bus drops `debug` and `info` before anything else; a record that says nothing is `info`. */
  readonly light: boolean;
}

const NONE: readonly never[] = [];
/** What an entry costs besides its own text. */
const ENTRY_BYTES = 32;

export function encodeCommit(commit: Commit): EncodedCommit {
  let bytes = 0;
  const puts = (commit.puts ?? NONE).map(({ space, key, value }) => {
    const json = toJson(value, `${space}/${key}`);
    bytes += json.length + key.length + ENTRY_BYTES;
    return { space, key, json };
  });
  const records = (commit.records ?? NONE).map(({ stream, kind, at, correlation, data }) => {
    if (!STREAMS.includes(stream)) throw storeError("COMMIT_INVALID", `There is no stream called ${String(stream)}`);
    if (!Number.isFinite(at)) throw storeError("COMMIT_INVALID", `A record of kind ${kind} has no time`);
    const json = toJson(data, `record ${kind}`);
    bytes += json.length + kind.length + ENTRY_BYTES;
    const level = data["level"] ?? "info";
    const light = level === "info" || level === "debug";
    return { stream, kind, at, correlation, json, light };
  });
  const deletes = commit.deletes ?? NONE;
  for (const { key } of deletes) bytes += key.length + ENTRY_BYTES;
  return { puts, deletes, records, bytes };
}

function toJson(value: Json, what: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw storeError("COMMIT_INVALID", `The value of ${what} cannot be written as JSON`, { cause });
  }
  if (json === undefined) throw storeError("COMMIT_INVALID", `The value of ${what} is not JSON`);
  return json;
}
