import { roleAtLeast, type Caller } from "@steading/kernel";
import type { Credentials } from "./credentials.ts";
import { isAccountPrincipal } from "./users/login-name.ts";
import type { UserStore } from "./users/user-store.ts";

/**
 * The rights a caller has at this moment. What it came with is never widened: a token may be narrower than its owner.
 * Principals that are not accounts (the person at the machine, automations, other issuers' people) are as they came, as
 * long as the credential they came with stands.
 */
export function createStanding(
  users: Pick<UserStore, "byName">,
  credentials: Pick<Credentials, "stands">,
): (caller: Caller) => Caller | undefined {
  return (caller) => {
    if (caller.credential !== undefined && !credentials.stands(caller.credential, caller.principal)) return undefined;
    if (!isAccountPrincipal(caller.principal)) return caller;
    const user = users.byName(caller.principal);
    if (user === undefined || user.disabled) return undefined;
    return roleAtLeast(user.role, caller.role) ? caller : { ...caller, role: user.role };
  };
}
