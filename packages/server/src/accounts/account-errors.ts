import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** What accounts, logins, tokens and issuers raise. docs/reference/accounts.md explains each one. */
export const ACCOUNT_ERRORS = {
  ACCOUNT_UNKNOWN: { retryable: false },
  NAME_REFUSED: {
    retryable: false,
    hint: "Use 1 to 254 of a-z, 0-9 and . _ + @ -, beginning with a letter or digit; an e-mail address is fine.",
  },
  NAME_TAKEN: { retryable: false, hint: "Choose another name; upper and lower case are the same." },
  ROLE_REFUSED: { retryable: false, hint: "Roles are viewer, operator and admin." },
  LAST_ADMIN: { retryable: false, hint: "Make somebody else an admin first." },
  TOO_MANY_ACCOUNTS: { retryable: false, hint: "Delete accounts that are no longer used." },
  PASSWORD_TOO_SHORT: { retryable: false, hint: "A few unrelated words make a good password." },
  PASSWORD_TOO_LONG: { retryable: false },
  PASSWORD_WELL_KNOWN: { retryable: false, hint: "A few unrelated words make a good password." },
  HASH_REFUSED: { retryable: false, hint: "Import the account without a password and set one." },
  LOGIN_FAILED: { retryable: false, hint: "Check the name and the password." },
  LOGIN_THROTTLED: { retryable: true, hint: "Wait `retry_after` seconds." },
  LOGIN_BUSY: { retryable: true, hint: "Try again in a moment." },
  TOKEN_SCOPE_REFUSED: { retryable: false },
  SCOPE_MISSING: { retryable: false, hint: "Ask the issuer for a token with the scope mcp." },
  ISSUER_UNREACHABLE: { retryable: true, hint: "The issuer's keys could not be fetched; try again in a moment." },
  ISSUER_REFUSED: { retryable: false },
  SECRET_WEAK: {
    retryable: false,
    hint: "Leave JWT_SECRET out and the hub makes one, or take the output of `openssl rand -base64 48`.",
  },
} as const satisfies ErrorTable;

export const accountError = errorsFrom(ACCOUNT_ERRORS);
