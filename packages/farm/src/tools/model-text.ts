import { deviceText, hasHarmfulText, type Json, type JsonObject } from "@steading/kernel";

/**
 * An answer on its way to a model. Names and messages in it come from people and devices: none of them may turn the
 * writing direction, hide, or break a line. What is fit already stays the very same thing.
 */
export function forModels<T extends Json>(answer: T): T {
  return fit(answer) as T; // only the characters within texts differ
}

function fit(value: Json): Json {
  if (typeof value === "string") return fitText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[]; // the check takes any array for one of anything
    const made = items.map(fit);
    return made.every((item, i) => item === items[i]) ? items : made;
  }
  const entries = Object.entries(value);
  const made = entries.map(([key, each]) => [fitText(key), fit(each)] as const);
  return made.every(([key, each], i) => key === entries[i]?.[0] && each === entries[i]?.[1])
    ? value
    : Object.fromEntries(made);
}

function fitText(text: string): string {
  const one = text.normalize("NFC");
  return hasHarmfulText(one) ? deviceText(one, Infinity) : one;
}

/**
 * The same for rows that are kept from one question to the next: each is looked through once. The list of channels is
 * made with its row and lives as long, while the row itself is another object whenever its age has changed.
 */
export function createRowsForModels(): (row: JsonObject) => JsonObject {
  const isFit = new WeakMap<object, boolean>();
  return (row) => {
    const { channels } = row;
    if (typeof channels !== "object" || channels === null) return forModels(row);
    if (isFit.get(channels) === true) return row;
    const made = forModels(row);
    isFit.set(channels, made === row);
    return made;
  };
}
