import type { Tracer } from "@opentelemetry/api";

/** Spans on their way to a collector. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly counters: { readonly exported: number; readonly failed: number };
  /** Sends what is left, waits no longer than a moment for it, and ends. May be called twice. */
  stop(): Promise<void>;
}
