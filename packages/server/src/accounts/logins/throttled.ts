import type { SteadingError } from "@steading/kernel";
import { accountError } from "../account-errors.ts";

export function throttled(ms: number): SteadingError {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return accountError("LOGIN_THROTTLED", `Too many failed logins; try again in ${seconds} s.`, {
    details: { retry_after: seconds },
  });
}
