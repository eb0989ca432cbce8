import type { ExportQuery } from "../history.ts";
import type { ScanRequest, Scans } from "../scan/scan-messages.ts";
import type { Scanner } from "../scan/scanner.ts";
import { csvLine } from "./csv.ts";
import { RAW_COLUMNS, SPAN_COLUMNS } from "./export-piece.ts";
import type { SeriesRow } from "./history-messages.ts";

/** Rows of one piece: some hundred kilobytes of text, read in a few milliseconds. */
const PIECE = 5_000;

/** Text for one download. The next piece is read when the last one was taken: a slow reader holds nothing in memory. */
export async function* exportHistory(
  { scanner, series }: { scanner: Scanner; series: readonly SeriesRow[] },
  { from, to, format, level = "raw", signal }: ExportQuery,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(level === "raw" ? RAW_COLUMNS : SPAN_COLUMNS);
  let opening = format === "json" ? "[" : "";
  for (const { id, path, unit } of series) {
    for (let start: number | undefined = from; start !== undefined;) {
      const ask: ScanRequest<"exportPiece">["ask"] = {
        series: { id, path, unit },
        format,
        level,
        from: start,
        to,
        limit: PIECE,
      };
      const { text, rows, next }: Scans["exportPiece"]["answer"] = await scanner.ask("exportPiece", ask, signal);
      start = next;
      if (rows === 0) continue;
      // Every object carries its comma; the first one of all has none.
      yield opening === "" ? text : opening + text.slice(1);
      opening = "";
    }
  }
  if (format === "json") yield opening === "" ? "\n]\n" : "[]\n";
}
