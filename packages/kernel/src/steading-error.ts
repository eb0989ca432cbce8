import type { Json, JsonObject } from "./json.ts";

export interface ErrorRow {
  /** May the same call succeed later, unchanged? */
  readonly retryable: boolean;
  /** What the reader can do about it; shown to people and models. */
  readonly hint?: string;
}
export type ErrorTable = Readonly<Record<string, ErrorRow>>;

export interface ErrorExtras {
  readonly hint?: string;
  readonly details?: JsonObject;
  readonly cause?: unknown;
  /** Overrules the table's row for codes whose cause decides. */
  readonly retryable?: boolean;
}

/** The one error that crosses package borders. `code` is the contract, the sentence is for people, `details` for programs. */
export class SteadingError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly details: JsonObject | undefined;

  constructor(code: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = "SteadingError";
    this.code = code;
    this.retryable = extras.retryable ?? false;
    this.hint = extras.hint;
    this.details = extras.details;
  }

  /** The form most contracts put on the wire. The cause stays at home. */
  toJson(): { error: string; code: string; [detail: string]: Json } {
    return {
      ...this.details,
      error: this.message,
      code: this.code,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.retryable ? { retryable: true } : {}),
    };
  }
}

/** Makes the constructor of one package's errors from its table, so that a code and its row cannot drift apart. */
export function errorsFrom<T extends ErrorTable>(table: T) {
  return (code: keyof T & string, message: string, extras: ErrorExtras = {}): SteadingError => {
    const row = table[code];
    return new SteadingError(code, message, { ...row, ...extras });
  };
}
