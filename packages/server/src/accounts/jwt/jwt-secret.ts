import { accountError } from "../account-errors.ts";

/** As many as HS256 has bytes; with fewer, the signature is weaker than it looks. */
const SHORTEST = 32;
const FEWEST_DIFFERENT = 10;

/** Phrases of tutorials, templates and defaults. In a random secret none of them turns up. */
const WELL_KNOWN = [
  "changeme",
  "changethis",
  "changeit",
  "changeinproduction",
  "yoursecret",
  "yourjwtsecret",
  "yoursuper",
  "your256bit",
  "your512bit",
  "secretkey",
  "jwtsecret",
  "supersecret",
  "astringsecret",
  "mysecret",
  "notsecret",
  "notasecret",
  "devsecret",
  "testsecret",
  "development",
  "replaceme",
  "placeholder",
  "defaultsecret",
  "sensehub",
  "steading",
  "password",
  "keyboardcat",
  "1234567890",
  "abcdefghij",
];

/** The bytes of a given JWT_SECRET. Throws SECRET_WEAK for one that somebody else could know. */
export function readJwtSecret(given: string): Uint8Array {
  const secret = given.trim();
  if (Buffer.byteLength(secret) < SHORTEST) throw weak(`JWT_SECRET needs at least ${SHORTEST} characters.`);
  const letters = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (WELL_KNOWN.some((phrase) => letters.includes(phrase)))
    throw weak("JWT_SECRET contains a phrase of well-known examples, so anybody could sign with it.");
  if (new Set(secret).size < FEWEST_DIFFERENT) throw weak("JWT_SECRET repeats itself too much to be secret.");
  return new TextEncoder().encode(secret);
}

function weak(sentence: string): Error {
  return accountError("SECRET_WEAK", sentence);
}
