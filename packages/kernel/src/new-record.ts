import type { Clock } from "./clock.ts";
import type { NewEvent } from "./journal.ts";
import type { NewRecord, StreamName } from "./ledger.ts";
import { redact } from "./redact.ts";

/**
 * The one way to make a record, redacted: `journal.record` is this with its clock. For what is put together before there
 * is a journal, or without one, and goes into a commit of its own.
 */
export function newRecord(clock: Pick<Clock, "now">, stream: StreamName, event: NewEvent): NewRecord {
  const { kind, correlation, data } = event;
  return { stream, kind, at: clock.now(), ...(correlation === undefined ? {} : { correlation }), data: redact(data) };
}
