import { isJsonObject, type Json, type JsonObject } from "./json.ts";

export const REDACTED = "[redacted]";

/** More than any honest record needs; what is longer is cut and says so. */
const STRING_CAP = 4_096;
const DEPTH_CAP = 16;
const ITEMS_CAP = 1_000;

/** Compared without case and separators, at the end of a key: `x-api-key` and `accessToken` are caught, `tokens_used` is not. */
const SECRET_ENDINGS = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "pwd",
  "secret",
  "token",
  "jwt",
  "bearer",
  "authorization",
  "authorisation",
  "apikey",
  "accesskey",
  "privatekey",
  "signingkey",
  "encryptionkey",
  "credential",
  "credentials",
  "cookie",
  "psk",
  "otp",
];
const SECRET_INSIDE = ["password", "secret", "authorization"];

/** Tokens that travel inside longer texts. */
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const JWT = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const OWN_TOKEN = /\bstead_[\w-]{20,}/g;
const URL_SECRET = /([?&](?:token|access_token|api_key|apikey|password|secret|key)=)[^&\s"']+/gi;

/** A copy without secrets and of bounded size: what is not written cannot leak. */
export function redact(data: JsonObject): JsonObject {
  return redactObject(data, 0);
}

function redactObject(data: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(data);
  const kept = entries
    .slice(0, ITEMS_CAP)
    .map(([key, value]): [string, Json] => [key, redactMember(key, value, depth)]);
  if (entries.length > ITEMS_CAP) kept.push(["…", `[cut: ${entries.length - ITEMS_CAP} more]`]);
  return Object.fromEntries(kept);
}

function redactMember(key: string, value: Json, depth: number): Json {
  // A yes, a no or an absence under such a name is information about a secret, not the secret.
  if (typeof value !== "boolean" && value !== null && isSecretName(key)) return REDACTED;
  return redactValue(value, depth + 1);
}

function redactValue(value: Json, depth: number): Json {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_CAP) return "[cut: too deep]";
  if (isJsonObject(value)) return redactObject(value, depth);
  const items = value.slice(0, ITEMS_CAP).map((each) => redactValue(each, depth + 1));
  return value.length > ITEMS_CAP ? [...items, `[cut: ${value.length - ITEMS_CAP} more]`] : items;
}

/** One text without secrets, and not too long. */
export function redactText(text: string): string {
  const short = text.length > STRING_CAP ? `${text.slice(0, STRING_CAP)}[cut: ${text.length - STRING_CAP} more]` : text;
  return short
    .replace(JWT, REDACTED)
    .replace(OWN_TOKEN, REDACTED)
    .replace(BEARER, (_all, scheme: string) => `${scheme} ${REDACTED}`)
    .replace(URL_SECRET, (_all, name: string) => `${name}${REDACTED}`);
}

function isSecretName(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_ENDINGS.some((end) => plain.endsWith(end)) || SECRET_INSIDE.some((word) => plain.includes(word));
}
