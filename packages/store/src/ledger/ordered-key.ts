/**
 * SQLite compares text by its UTF-8 bytes, the ledger promises the order of code units, and the two differ for
 * surrogates against U+E000 to U+FFFF. These two ranges are moved so that byte order becomes code unit order; all other
 * text is stored as it is. A lone surrogate, which UTF-8 cannot hold, survives as well.
 */
const MOVED = /[\uD800-\uFFFF]/;

export function toOrderedKey(key: string): string {
  if (!MOVED.test(key)) return key;
  let out = "";
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit < 0xd800) out += key.charAt(i);
    else out += String.fromCodePoint(unit < 0xe000 ? unit + 0x800 : unit + 0x10000);
  }
  return out;
}

export function fromOrderedKey(stored: string): string {
  if (!MOVED.test(stored)) return stored;
  let out = "";
  for (const char of stored) {
    const point = char.codePointAt(0) ?? 0;
    if (point < 0xd800) out += char;
    else out += String.fromCharCode(point < 0x10000 ? point - 0x800 : point - 0x10000);
  }
  return out;
}
