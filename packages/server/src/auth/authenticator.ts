import type { Cancel, Role, TokenScope } from "@steading/kernel";

/** Whom a credential stands for. */
export interface Authenticated {
  readonly principal: string;
  readonly role: Role;
  readonly scope?: TokenScope;
  /** Epoch milliseconds. Streams opened with the credential end then. */
  readonly expiresAt?: number;
}

export interface Authenticator {
  /** Undefined: unknown, expired or revoked; the three are not told apart. */
  authenticate(token: string): Promise<Authenticated | undefined>;
  /** Tells that a credential changed, so that nobody goes on trusting what they remember. */
  onChange?(listener: () => void): Cancel;
  /** Who a request without credentials is. Absent: such requests are refused. Never allowed off loopback. */
  readonly anonymous?: Authenticated;
}
