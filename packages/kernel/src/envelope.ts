import { canonicalHash } from "./canonical-hash.ts";
import type { Json } from "./json.ts";

export interface EnvelopeContract {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
}
/** Live data, or what a snapshot held. */
export type Consistency = { readonly mode: "LIVE" } | { readonly mode: "SNAPSHOT"; readonly snapshotId: string };

export interface EnvelopeError {
  readonly code: string;
  readonly message: string;
  readonly retriable: boolean;
  /** Which layer of the part says so, in its contract's words. */
  readonly source_layer: string;
}

export interface Envelope {
  readonly meta: {
    readonly contract: EnvelopeContract;
    readonly consistency: { readonly mode: "LIVE" | "SNAPSHOT"; readonly snapshot_id?: string };
    readonly data_timestamp: string;
    readonly data_hash: string;
  };
  readonly data: Json;
  readonly error: EnvelopeError | null;
}

export type EnvelopeContent = { readonly data: Json } | { readonly error: EnvelopeError };

/**
 * Wraps an answer for contracts that want to compare data across calls: the hash covers `data` alone, so equal data has
 * equal hashes whenever and however it was read. An error has no data.
 */
export function createEnvelope({
  contract,
  consistency,
  at,
  ...content
}: {
  readonly contract: EnvelopeContract;
  readonly consistency: Consistency;
  /** Epoch milliseconds; of the capture, when it is a snapshot's data. */
  readonly at: number;
} & EnvelopeContent): Envelope {
  const data = "data" in content ? content.data : null;
  const { name, major, minor } = contract;
  return {
    meta: {
      contract: { name, major, minor },
      consistency:
        consistency.mode === "LIVE" ? { mode: "LIVE" } : { mode: "SNAPSHOT", snapshot_id: consistency.snapshotId },
      data_timestamp: new Date(at).toISOString(),
      data_hash: canonicalHash(data),
    },
    data,
    error: "error" in content ? content.error : null,
  };
}
