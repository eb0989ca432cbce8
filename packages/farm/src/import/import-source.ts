/** A value as SQLite has it. */
export type SourceValue = string | number | Uint8Array | null;
export type SourceRow = Readonly<Record<string, SourceValue>>;

/** The reference's database, as whoever opened it offers it. One table is read after the other. */
export interface ImportSource {
  readonly tables: readonly string[];
  count(table: string): number;
  /** In the order of their numbers. */
  rows(table: string): Iterable<SourceRow>;
  /** The highest number that was ever given out; 0 where nobody counted. */
  lastId(table: string): number;
}
