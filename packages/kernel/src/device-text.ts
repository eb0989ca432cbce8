/**
 * C0, DEL and C1 controls, line and paragraph separators, zero-width characters, and everything that turns the writing
 * direction: each of them can make a reader see something else than what is there.
 */
// oxlint-disable-next-line no-control-regex -- taking control characters out is the point
const HARMFUL = /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/g;

/** Is there anything in it that `deviceText` would take out? For whoever keeps what is fit as it is. */
export function hasHarmfulText(text: string): boolean {
  return text.search(HARMFUL) >= 0;
}

/** The mark of a text that was cut. */
const CUT = "…";

/**
 * Text from outside, made fit to be shown as data: no control characters, white space in single blanks, at most `cap`
 * characters with the cut marked. It stays data; no sentence of ours may be built around it unquoted.
 */
export function deviceText(text: string, cap: number): string {
  // Anything beyond four times the cap is not even looked at: a huge text must not cost huge work.
  const near = text.slice(0, cap * 4 + 64);
  const clean = near
    .replace(/[\t\n\r\u2028\u2029]/g, " ")
    .replace(HARMFUL, "")
    .toWellFormed()
    .replace(/ {2,}/g, " ")
    .trim();
  const characters = [...clean];
  if (characters.length <= cap && near.length === text.length) return clean;
  return cap < 1 ? "" : characters.slice(0, cap - 1).join("") + CUT;
}
