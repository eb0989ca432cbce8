import { deviceText } from "@steading/kernel";

const MAX_CHARS = 500;
const PLAIN = /^[ -~]*$/;

/** A title or another text for people, which may come from a device: capped and without control characters. */
export function displayText(text: string): string {
  return text.length <= MAX_CHARS && PLAIN.test(text) ? text : deviceText(text, MAX_CHARS);
}
