import { hours, minutes, seconds, type Duration } from "@steading/kernel";

/** Every bound of the accounts. All are parameters of `createAccounts`. */
export interface AccountLimits {
  /** One ledger page, so that listing stays one read. */
  readonly accounts: number;
  readonly displayNameCharacters: number;
  /** At least 8. */
  readonly passwordCharacters: number;
  /** Longer ones are refused when set and wrong when tried: hashing a megabyte is work that a stranger could order. */
  readonly passwordBytes: number;
  /** Password checks at one time; each needs 19 MiB. */
  readonly hashing: number;
  readonly hashingWaiting: number;
  readonly loginsPerAccount: number;
  readonly loginAge: Duration;
  /** The longest that anybody may ask for. */
  readonly longestLogin: Duration;
  /** A failed login is answered no sooner, so that its time tells nothing about the account. */
  readonly failureAnswer: Duration;
  /** Names and addresses with failures that are remembered, in each of three tables. */
  readonly throttled: number;
  readonly tokensPerAccount: number;
  /** How often the last use of a token is written down at most. */
  readonly tokenUseEvery: Duration;
  readonly issuers: number;
}

export const ACCOUNT_LIMITS: AccountLimits = {
  accounts: 1_000,
  displayNameCharacters: 100,
  passwordCharacters: 8,
  passwordBytes: 1_024,
  hashing: 2,
  hashingWaiting: 64,
  loginsPerAccount: 32,
  loginAge: hours(24),
  longestLogin: hours(24 * 30),
  failureAnswer: seconds(1),
  throttled: 10_000,
  tokensPerAccount: 64,
  tokenUseEvery: minutes(5),
  issuers: 16,
};
