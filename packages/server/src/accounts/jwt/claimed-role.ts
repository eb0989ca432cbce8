import { isJsonObject, roleAtLeast, type Json, type JsonObject, type Role } from "@steading/kernel";
import type { IssuerSettings } from "./issuer-settings.ts";

/** More groups than anybody is in; what comes after them is not looked at. */
const MOST_VALUES = 1_000;

/** The highest role that the configured claim grants. Undefined: none at all. */
export function claimedRole(
  claims: JsonObject,
  { roleClaim, roles, otherwise }: Pick<IssuerSettings, "roleClaim" | "roles" | "otherwise">,
): Role | undefined {
  let highest: Role | undefined;
  for (const value of valuesOf(claimAt(claims, roleClaim))) {
    const role = Object.hasOwn(roles, value) ? roles[value] : undefined;
    if (role !== undefined && (highest === undefined || roleAtLeast(role, highest))) highest = role;
  }
  return highest ?? (otherwise === "none" ? undefined : otherwise);
}

/** The scopes of a token: `scope` as RFC 8693 has it, or `scp` as some issuers write it. */
export function claimedScopes(claims: JsonObject): readonly string[] {
  return [claims["scope"], claims["scp"]].flatMap(valuesOf).flatMap((value) => value.split(" "));
}

/** Names of claims may hold dots themselves, so the whole name comes first. */
function claimAt(claims: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: Json | undefined = claims;
  for (const step of name.split(".")) {
    if (found === undefined || !isJsonObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

function valuesOf(claim: Json | undefined): readonly string[] {
  if (typeof claim === "string") return [claim];
  if (!Array.isArray(claim)) return [];
  return claim.slice(0, MOST_VALUES).filter((value) => typeof value === "string");
}
