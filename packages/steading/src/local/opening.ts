import { isJsonObject } from "@steading/kernel";

/** Asking these of a second hub, when the first went away without an answer, changes nothing anywhere. */
const HARMLESS = new Set(["initialize", "notifications/initialized", "ping", "server/discover"]);

/**
 * May what a client has said so far be said again to another hub? A line that is not whole was never acted upon, and a
 * greeting may be repeated; anything else may have been done already.
 */
export function isOnlyGreeting(said: string): boolean {
  return said.split("\n").slice(0, -1).every(isGreeting);
}

function isGreeting(line: string): boolean {
  if (line.trim() === "") return true;
  try {
    const message: unknown = JSON.parse(line);
    return isJsonObject(message) && typeof message["method"] === "string" && HARMLESS.has(message["method"]);
  } catch {
    return false;
  }
}
