import { effectiveRole, kernelError, type Caller } from "@steading/kernel";

/** Who may change which account. */
export interface AccountRights {
  /** Throws ACCESS_DENIED. */
  admin(by: Caller): Caller;
  /** The account's owner, or an admin. Throws ACCESS_DENIED. */
  ownerOrAdmin(by: Caller, owner: string): Caller;
  /** The account's owner and nobody else. Throws ACCESS_DENIED. */
  owner(by: Caller): Caller;
}

export function createAccountRights(standing: (caller: Caller) => Caller | undefined): AccountRights {
  function present(by: Caller): Caller {
    const caller = standing(by);
    if (caller === undefined) throw kernelError("ACCESS_DENIED", "This account is gone or disabled.");
    // Otherwise a narrow token could make itself a wide one.
    if (caller.scope !== undefined)
      throw kernelError("ACCESS_DENIED", "A token with a scope does not change accounts or tokens.");
    return caller;
  }
  function admin(by: Caller): Caller {
    const caller = present(by);
    if (effectiveRole(caller) !== "admin")
      throw kernelError("ACCESS_DENIED", "This needs the role admin.", { details: { needed: "admin" } });
    return caller;
  }
  return {
    admin,
    owner: present,
    ownerOrAdmin: (by, owner) => (by.principal === owner ? present(by) : admin(by)),
  };
}
