import type { Json } from "@steading/kernel";

/** The length of `JSON.stringify(value)` without making the text. */
export function jsonSize(value: Json | undefined): number {
  switch (typeof value) {
    case "boolean":
      return value ? 4 : 5;
    case "number":
      return Number.isFinite(value) ? String(value).length : 4;
    case "string":
      return textSize(value);
    case "object":
      break;
    default:
      return 0;
  }
  if (value === null) return 4;
  if (Array.isArray(value)) {
    let size = 2 + Math.max(0, value.length - 1);
    for (const item of value as readonly Json[]) size += jsonSize(item); // isArray forgets what the list holds
    return size;
  }
  let size = 1;
  for (const key of Object.keys(value)) size += entrySize(key, jsonSize((value as Record<string, Json>)[key]));
  return Math.max(2, size);
}

/** Key, colon and comma around a value of this size. */
export function entrySize(key: string, valueSize: number): number {
  return textSize(key) + 2 + valueSize;
}

function textSize(text: string): number {
  // Most texts are short names; looking at each character beats an expression there.
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text).length;
  }
  return text.length + 2;
}
