import { basename } from "node:path";
import { checkIntegrity } from "../sqlite/check-integrity.ts";
import { migrate, schemaState } from "../sqlite/migrate.ts";
import { openForWriting, type Db } from "../sqlite/open-database.ts";
import { STATE_SCHEMA } from "./state-schema.ts";
import type { WriterData, WriterFailure } from "./writer-messages.ts";

export type OpenedState = { readonly db: Db; readonly uncheckedBytes: number } | { readonly refused: WriterFailure };

/** Looks before it touches: a file that is newer, damaged or not ours is closed again as it was found. */
export function openStateDatabase({ file, maxBytes, checkBytes }: WriterData): OpenedState {
  const db = openForWriting(file);
  try {
    return prepare(db, { name: basename(file), maxBytes, checkBytes });
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(
  db: Db,
  { name, maxBytes, checkBytes }: { name: string; maxBytes: number; checkBytes: number },
): OpenedState {
  const refuse = (code: WriterFailure["code"], message: string): OpenedState => {
    db.close();
    return { refused: { code, message } };
  };
  const state = schemaState(db, STATE_SCHEMA);
  if (state.kind === "newer") {
    const knows = STATE_SCHEMA.migrations.length;
    return refuse("SCHEMA_NEWER", `${name} has schema ${state.version}, this version of Steading knows up to ${knows}`);
  }
  if (state.kind === "foreign") return refuse("STORE_CORRUPT", `${name} was written by another program`);
  const integrity = checkIntegrity(db, checkBytes);
  if (integrity.kind === "damaged")
    return refuse("STORE_CORRUPT", `${name} is damaged: ${integrity.findings.join("; ")}`);
  db.pragma("journal_mode = WAL");
  db.pragma("journal_size_limit = 67108864");
  const pageSize = Number(db.pragma("page_size", { simple: true }));
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  migrate(db, STATE_SCHEMA);
  return { db, uncheckedBytes: integrity.kind === "skipped" ? integrity.bytes : 0 };
}
