/** Opaque to clients; to us an offset and the generation it was made in. */
export function toCursor(generation: number, offset: number): string {
  return Buffer.from(`${generation}:${offset}`).toString("base64url");
}

/**
 * The offset a cursor points at; undefined when we never made it. The generation is not compared: a cursor from an
 * older list is served by offset, and duplicates or gaps across a change are allowed.
 */
export function fromCursor(cursor: string): number | undefined {
  const offset = /^\d{1,15}:(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  return offset === undefined ? undefined : Number(offset);
}
