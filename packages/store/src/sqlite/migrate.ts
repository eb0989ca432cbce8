import type { Db } from "./open-database.ts";

/** One step of a database's schema. Steps are only ever added at the end; a released one is never edited. */
export interface Migration {
  readonly says: string;
  readonly sql: string;
}

export interface Schema {
  /** Marks the file as ours, so that another program's database is not mistaken for an empty one. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
}

export type SchemaState =
  | { readonly kind: "current"; readonly version: number }
  | { readonly kind: "older"; readonly version: number }
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "foreign" };

export function schemaState(db: Db, schema: Schema): SchemaState {
  const id = Number(db.pragma("application_id", { simple: true }));
  const version = Number(db.pragma("user_version", { simple: true }));
  if (id !== schema.applicationId && !isEmpty(db)) return { kind: "foreign" };
  const known = schema.migrations.length;
  if (version > known) return { kind: "newer", version };
  return { kind: version < known ? "older" : "current", version };
}

/** Applies what is missing, each step and its version number in one transaction: a kill leaves one schema or the other. */
export function migrate(db: Db, schema: Schema): void {
  const from = Number(db.pragma("user_version", { simple: true }));
  schema.migrations.forEach((step, index) => {
    if (index < from) return;
    db.transaction(() => {
      db.exec(step.sql);
      db.pragma(`application_id = ${schema.applicationId}`);
      db.pragma(`user_version = ${index + 1}`);
    }).immediate();
  });
}

function isEmpty(db: Db): boolean {
  return db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
}
