/** What a property may say about itself, beside its value. */
export interface Facets {
  readonly unit?: string;
  /** Outsiders may write. The code that owns the subject, and its source, always may. */
  readonly writable?: boolean;
  /** Null, "no value known", is a legal value for outsiders to write. */
  readonly nullable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly enum?: readonly string[];
  readonly role?: PropertyRole;
  /** Never leaves the process. Not together with role `state`. */
  readonly secret?: boolean;
  /** A counter that only grows. */
  readonly cumulative?: boolean;
  /** Every transition matters: its changes are never merged. */
  readonly discrete?: boolean;
  /** Computed or guessed, not measured. */
  readonly estimated?: boolean;
  readonly position?: number;
  readonly title?: string;
  readonly description?: string;
  readonly exposed?: boolean;
  /** The name in printed paths, for everybody or per consumer (`{ mcp: "temp" }`). */
  readonly path?: string | Readonly<Record<string, string>>;
  /** Decides whether a write changes anything. Default: SameValueZero. */
  readonly equals?: (a: never, b: never) => boolean;
  /** Keep its values in the time series. */
  readonly history?: boolean;
  /** A source's value older than this is stale. */
  readonly maxAgeMs?: number;
}

export type PropertyRole = "state" | "config" | "diagnostic";
