import type { Authenticated, Cancel } from "@steading/kernel";

export type { Authenticated } from "@steading/kernel";

export interface Authenticator {
  /**
   * Undefined: unknown, expired or revoked; the three are not told apart. Throws SCOPE_MISSING for a genuine token that
   * is not meant for MCP, and ISSUER_UNREACHABLE when nobody can tell at present.
   */
  authenticate(token: string): Promise<Authenticated | undefined>;
  /**
   * Tells that rights were taken or changed, so that nobody goes on trusting what they remember: those of one
   * principal, or anybody's when none is named.
   */
  onChange?(listener: (principal?: string) => void): Cancel;
  /** Who a request without credentials is. Absent: such requests are refused. Never allowed off loopback. */
  readonly anonymous?: Authenticated;
}
