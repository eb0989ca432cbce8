import type { JsonObject } from "@steading/kernel";

/** What clients are told about where to get a token. */
export interface AuthorizationInfo {
  /** The hub's address as clients see it, without a trailing slash. Absent: as each request spells it. */
  readonly publicUrl?: string;
  /** OAuth authorization servers whose tokens are accepted. */
  readonly issuers: readonly string[];
  /** What the first of them says about itself (RFC 8414). Undefined: it cannot be had at present. */
  issuerDocument(): Promise<JsonObject | undefined>;
}
