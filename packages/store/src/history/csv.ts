import type { Json } from "@steading/kernel";

/**
 * One line of RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe in front: values and names come
 * from devices, and opening an export must not execute them.
 */
export function csvLine(cells: readonly Json[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: Json): string {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
