import type { StoredRecord, StreamName } from "@steading/kernel";
import type { Bucket, ExportQuery } from "../history.ts";
import type { Level } from "../history/level.ts";
import type { RangeColumns } from "../history/range-columns.ts";
import type { DatabaseFailure } from "../sqlite/database-failure.ts";

/** What can be asked of the scan thread, and what each question is answered with. */
export interface Scans {
  range: {
    ask: { series: number; from: number; to: number; newestFirst: boolean; limit: number };
    answer: { columns: RangeColumns; truncated: boolean };
  };
  buckets: {
    ask: { series: number; from: number; to: number; width: number; level: Level; hold: number; until: number };
    answer: readonly Bucket[];
  };
  /** One piece of an export; `after` is the last time of the piece before. */
  exportPiece: {
    ask: {
      series: { id: number; path: string; unit: string | null };
      format: ExportQuery["format"];
      level: Level;
      from: number;
      to: number;
      limit: number;
    };
    answer: { text: string; rows: number; next: number | undefined };
  };
  records: {
    ask: {
      stream: StreamName;
      correlation?: string;
      kind?: string;
      from?: number;
      to?: number;
      after: number;
      limit: number;
    };
    answer: { records: readonly StoredRecord[]; truncated: boolean };
  };
}
export type ScanKind = keyof Scans;

export interface ScanRequest<K extends ScanKind = ScanKind> {
  readonly id: number;
  readonly kind: K;
  readonly ask: Scans[K]["ask"];
}
export type ToScanner =
  | ScanRequest
  | { readonly id: number; readonly kind: "cancel" }
  | { readonly id: 0; readonly kind: "close" };

export type FromScanner =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: DatabaseFailure };

export interface ScannerData {
  readonly stateFile: string;
  readonly historyFile: string;
}

/** Works in slices: every `yield` lets other questions have their turn. */
export type ScanTask<K extends ScanKind> = Generator<void, Scans[K]["answer"]>;

/** How each question is answered: in slices, or at once when one short read is all it takes. */
export type ScanAnswers<K extends ScanKind> = {
  readonly [Kind in K]: (ask: Scans[Kind]["ask"]) => ScanTask<Kind> | { readonly atOnce: Scans[Kind]["answer"] };
};
