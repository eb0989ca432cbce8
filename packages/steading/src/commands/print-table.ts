/** Columns for people, padded to their widest cell. Text from devices has been cleaned by whoever answered it. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${all.map(line).join("\n")}\n`;
}

/** A field of an answer as a cell: text as it is, anything else as JSON, nothing for what is not there. */
export function cellText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
