import { toolError } from "./tool-errors.ts";

/**
 * Where a cut answer stopped: the last admitted place, as steps below the start, and how many places came before it.
 * Nothing is kept on our side; the count only helps when that place is gone by the time the cursor comes back.
 */
export interface Stop {
  readonly steps: readonly string[];
  readonly admitted: number;
  /** Which question it belongs to: a cursor carried over to another filter or start would skip without saying so. */
  readonly question: string;
}

const VERSION = 1;
const MAX_CURSOR_CHARS = 100_000;

export function encodeCursor(stop: Stop): string {
  return Buffer.from(JSON.stringify([VERSION, stop.admitted, stop.question, ...stop.steps]), "utf8").toString(
    "base64url",
  );
}

export function decodeCursor(text: string, question: string): Stop {
  const parts = readParts(text);
  if (parts === undefined)
    throw toolError("INVALID_ARGUMENTS", "The cursor is not one that this tool gave out.", {
      details: { field: "cursor" },
    });
  const [version, admitted, asked, ...steps] = parts;
  const valid = version === VERSION && typeof admitted === "number" && Number.isSafeInteger(admitted) && admitted >= 0;
  if (!valid || typeof asked !== "string" || !steps.every((step) => typeof step === "string"))
    throw toolError("INVALID_ARGUMENTS", "The cursor is not one that this tool gave out.", {
      details: { field: "cursor" },
    });
  if (asked !== question)
    throw toolError(
      "INVALID_ARGUMENTS",
      "The cursor belongs to another question: repeat path, depth and filter with it.",
      {
        details: { field: "cursor" },
      },
    );
  return { admitted, question, steps };
}

function readParts(text: string): unknown[] | undefined {
  if (text.length > MAX_CURSOR_CHARS || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}
