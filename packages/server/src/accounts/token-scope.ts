import type { TokenScope } from "@steading/kernel";
import { accountError } from "./account-errors.ts";

const MOST_PREFIXES = 32;
const MOST_TOOLSETS = 64;
const LONGEST_PREFIX = 512;
/** Characters that nobody sees, and those that some reader could turn into a step. */
// oxlint-disable-next-line no-control-regex -- refusing control characters is the point
const TRICKY = /[\u0000-\u001F\u007F-\u009F\\%\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/;

/**
 * A scope that can only mean one thing. Prefixes are whole steps in printed form; `..`, doubled slashes and escapes are
 * refused instead of interpreted. A token for some places is for the tools that look at places, and for no others.
 */
export function checkedScope(
  { role, toolsets, pathPrefixes }: TokenScope,
  /** Toolsets whose tools look at the places of a token. The others know nothing of the graph and would ignore them. */
  placeToolsets: readonly string[],
): TokenScope | undefined {
  if (toolsets !== undefined && toolsets.length > MOST_TOOLSETS) throw refused(`at most ${MOST_TOOLSETS} toolsets`);
  if (pathPrefixes !== undefined) checkPrefixes(pathPrefixes);
  const within = pathPrefixes === undefined ? toolsets : toolsetsForPlaces(toolsets, placeToolsets);
  if (role === undefined && within === undefined && pathPrefixes === undefined) return undefined;
  return {
    ...(role === undefined ? {} : { role }),
    ...(within === undefined ? {} : { toolsets: [...within] }),
    ...(pathPrefixes === undefined ? {} : { pathPrefixes: pathPrefixes.map(plain) }),
  };
}

function checkPrefixes(prefixes: readonly string[]): void {
  // Nothing at all would be written as no token.
  if (prefixes.length === 0 || prefixes.length > MOST_PREFIXES) throw refused(`1 to ${MOST_PREFIXES} places`);
  for (const prefix of prefixes) {
    const steps = plain(prefix).split("/").slice(1);
    const good =
      prefix.startsWith("/") &&
      prefix.length <= LONGEST_PREFIX &&
      !TRICKY.test(prefix) &&
      (prefix === "/" || steps.every((step) => step !== "" && step !== "." && step !== ".."));
    if (!good) throw refused("places in printed form, such as /farm/barn, without .., // or escapes");
  }
}

function toolsetsForPlaces(wanted: readonly string[] | undefined, looking: readonly string[]): readonly string[] {
  if (wanted === undefined) return looking;
  const blind = wanted.filter((name) => !looking.includes(name));
  if (blind.length > 0)
    throw accountError(
      "TOKEN_SCOPE_REFUSED",
      `The tools of ${blind.join(", ")} do not look at places, so a token for some places cannot include them.`,
    );
  return wanted;
}

function plain(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
}

function refused(wanted: string): Error {
  return accountError("TOKEN_SCOPE_REFUSED", `The scope of a token takes ${wanted}.`);
}
