import type { Json, JsonObject } from "@steading/kernel";
import type { ExportQuery } from "../history.ts";
import type { ScanRequest, Scans } from "../scan/scan-messages.ts";
import type { Db } from "../sqlite/open-database.ts";
import { csvLine } from "./csv.ts";
import { fromStored, type StoredValue } from "./reading-codec.ts";
import { createSpanTable, type SpanRow } from "./span-table.ts";

type Ask = ScanRequest<"exportPiece">["ask"];
type Format = ExportQuery["format"];

export const RAW_COLUMNS = ["path", "at", "value", "quality", "unit"] as const;
export const SPAN_COLUMNS = [
  "path",
  "at",
  "count",
  "bad",
  "min",
  "max",
  "mean",
  "first",
  "last",
  "covered_ms",
  "unit",
] as const;

/** Makes the text of up to `limit` rows of one series, on the scan thread: the main thread only passes it on. */
export function createExportPieces(db: Db): (ask: Ask) => Scans["exportPiece"]["answer"] {
  const raw = db
    .prepare("SELECT at, value, flags FROM raw WHERE series = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?")
    .raw();
  const tables = { minute: createSpanTable(db, "minute"), hour: createSpanTable(db, "hour") };

  function rows({ series, level, from, to, limit }: Ask): JsonObject[] {
    if (level !== "raw") return tables[level].read(series.id, from, to, limit).map((row) => spanObject(series, row));
    const found = raw.all(series.id, from, to, limit) as [number, StoredValue, number][]; // the statement's columns
    return found.map(([at, value, flags]) => {
      const reading = fromStored(value, flags);
      return {
        path: series.path,
        at: new Date(at).toISOString(),
        value: reading.value,
        quality: reading.quality,
        unit: series.unit,
      };
    });
  }

  return (ask) => {
    const found = rows(ask);
    const last = found.at(-1)?.["at"];
    const next = found.length === ask.limit && typeof last === "string" ? Date.parse(last) + 1 : undefined;
    const columns = ask.level === "raw" ? RAW_COLUMNS : SPAN_COLUMNS;
    return { text: found.map((row) => toText(row, columns, ask.format)).join(""), rows: found.length, next };
  };
}

/** In a JSON array every object but the first needs a comma before it; the first piece is relieved of it by its reader. */
function toText(row: JsonObject, columns: readonly string[], format: Format): string {
  if (format === "csv") return csvLine(columns.map((column) => row[column] ?? null));
  return format === "json" ? `,\n${JSON.stringify(row)}` : `${JSON.stringify(row)}\n`;
}

function spanObject({ path, unit }: Ask["series"], row: SpanRow): JsonObject {
  const mean: Json = row.n > 0 ? row.sum / row.n : null;
  const { n: count, bad, min, max, first, last, covered: covered_ms } = row;
  return { path, at: new Date(row.at).toISOString(), count, bad, min, max, mean, first, last, covered_ms, unit };
}
