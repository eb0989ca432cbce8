import type { Cancel } from "./clock.ts";
import type { Json } from "./json.ts";
import type { SteadingError } from "./steading-error.ts";
import type { Tool } from "./tool.ts";

/** Tools that are switched, listed and addressed together. */
export interface Toolset {
  /** Also its address: `/mcp/<name>`. */
  readonly name: string;
  readonly tools: readonly Tool[];
  /**
   * A setting that turns it on. Off: its tools are not listed and a call is a tool error naming what turns it on.
   */
  readonly flag?: { readonly on: boolean; readonly turnsOn: string };
  /** Is the thing behind it there? Absent: its tools are not listed and a call is an unknown tool. */
  provider?(): boolean;
  /** The most bytes of JSON in one call's arguments, where that is less than any request may have. */
  readonly argumentBytes?: number;
  /** Tells when names, descriptions or `provider` change. */
  onChange?(listener: () => void): Cancel;
  /** The contract's own form of an error; `SteadingError.toJson` where there is none. */
  errorJson?(error: SteadingError): Json;
}
