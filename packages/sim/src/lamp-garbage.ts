/** Answers no lamp gives: wrong letters, almost right ones, bytes that are no text, an empty line, a line without measure. */
const RUBBISH: readonly Uint8Array[] = [
  "x",
  "AA",
  "A\r",
  " 1",
  "2",
  "N-1",
  "N",
  "",
  "\u0000\u00ff\u00fe",
  "1".repeat(600),
].map((text) => Uint8Array.from(Buffer.from(`${text}\n`, "latin1")));

/** Hands out rubbish line by line, the same round again and again, so that a failing test can be repeated. */
export function createLampGarbage(): { next(): Uint8Array } {
  let given = 0;
  return {
    next() {
      const rubbish = RUBBISH[given % RUBBISH.length];
      given += 1;
      return rubbish ?? Uint8Array.of(0x0a);
    },
  };
}
