import { roleAtLeast, type Account, type AccountUpdate } from "@steading/kernel";

/**
 * Does this update take rights and nothing else? Disabling somebody twice is still disabling; a name is no right, so a
 * change of it makes the whole update an ordinary one.
 */
export function takesAway(present: Pick<Account, "displayName" | "role" | "disabled">, update: AccountUpdate): boolean {
  const { displayName = present.displayName, role = present.role, disabled = present.disabled } = update;
  const asksForLess = update.role !== undefined || update.disabled === true;
  const givesNothing = roleAtLeast(present.role, role) && (disabled || !present.disabled);
  return asksForLess && givesNothing && displayName === present.displayName;
}
