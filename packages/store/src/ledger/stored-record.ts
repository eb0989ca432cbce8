import type { StoredRecord, StreamName } from "@steading/kernel";

/** A record as the port wants it: without a correlation there is no such field. */
export function storedRecord(
  stream: StreamName,
  seq: number,
  at: number,
  kind: string,
  correlation: string | undefined,
  json: string,
): StoredRecord {
  const data = JSON.parse(json) as StoredRecord["data"]; // written by encodeCommit from an object
  return correlation === undefined ? { stream, kind, at, data, seq } : { stream, kind, at, correlation, data, seq };
}
