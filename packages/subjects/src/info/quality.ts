/** How far a source-bound value may be trusted. */
export type Quality = "good" | "stale" | "bad" | "unknown";
