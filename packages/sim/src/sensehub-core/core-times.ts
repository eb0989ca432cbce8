/** The reference writes both forms into the same columns and compares them as text. */
export function sqliteTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
