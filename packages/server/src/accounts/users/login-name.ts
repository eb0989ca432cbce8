import { accountError } from "../account-errors.ts";

const LONGEST = 254;
/** ASCII only: letters of other scripts look like these and would make two people of one name. */
const NAME = /^[a-z0-9][a-z0-9._+@-]*$/;

/** Principals that are not accounts: whoever holds the machine, and the hub itself. */
const RESERVED = new Set(["local", "anonymous", "system", "internal", "steading", "referee"]);

/** The one spelling of a name: without compatibility forms, in lower case. Undefined: not a name. */
export function readLoginName(given: string): string | undefined {
  // Normalising a text can make it many times longer; what is too long before is refused before.
  if (given.length > LONGEST) return undefined;
  const name = given.normalize("NFKC").trim().toLowerCase();
  return name.length <= LONGEST && NAME.test(name) ? name : undefined;
}

export function requireLoginName(given: string): string {
  const name = readLoginName(given);
  if (name === undefined) throw accountError("NAME_REFUSED", "This cannot be the name of an account.");
  if (RESERVED.has(name)) throw accountError("NAME_REFUSED", `The name ${name} belongs to the hub itself.`);
  return name;
}

/** Could this principal be an account? Others (`local`, `automation:7`, `issuer:subject`) are vouched for elsewhere. */
export function isAccountPrincipal(principal: string): boolean {
  return NAME.test(principal) && !RESERVED.has(principal);
}
