import { accountError } from "../account-errors.ts";
import { WELL_KNOWN_PASSWORDS, WELL_KNOWN_WORDS } from "./well-known-passwords.ts";

export interface PasswordRules {
  readonly passwordCharacters: number;
  readonly passwordBytes: number;
}

/** The same password typed on two systems may arrive composed or decomposed; it is one password. */
export function normalPassword(given: string): string {
  return given.normalize("NFKC");
}

/** Throws when somebody else could guess it, or when it is too long to be one. */
export function checkPassword(given: string, name: string, rules: PasswordRules): void {
  if (!fits(given, rules.passwordBytes))
    throw accountError("PASSWORD_TOO_LONG", `A password has at most ${rules.passwordBytes} bytes.`);
  const password = normalPassword(given);
  if ([...password].length < rules.passwordCharacters)
    throw accountError("PASSWORD_TOO_SHORT", `A password has at least ${rules.passwordCharacters} characters.`);
  if (isWellKnown(password.toLowerCase(), name))
    throw accountError("PASSWORD_WELL_KNOWN", "This password is among the first that anybody would try.");
}

/** Measured before and after normalising, which can make a text many times longer. */
export function fits(given: string, bytes: number): boolean {
  return given.length <= bytes && Buffer.byteLength(normalPassword(given)) <= bytes;
}

function isWellKnown(password: string, name: string): boolean {
  if (WELL_KNOWN_PASSWORDS.has(password)) return true;
  const withoutTail = password.replace(/[^\p{L}]+$/u, "");
  const readings = [password, withoutTail].flatMap((text) => [text, plainLetters(text, "l"), plainLetters(text, "i")]);
  if (readings.some((reading) => WELL_KNOWN_WORDS.has(coreOf(reading)))) return true;
  return hasLittleVariety(password) || isStaircase(password) || isNameOf(password, name);
}

/** `p4$$w0rd` reads `password`. A one may stand for either of two letters. */
function plainLetters(text: string, one: "l" | "i"): string {
  return text.replaceAll(/[013457@$!]/g, (sign) => (sign === "1" ? one : (LOOK_ALIKES[sign] ?? sign)));
}
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Without the digits and signs that people put around a word to satisfy a rule, and without those in between. */
function coreOf(text: string): string {
  const trimmed = text.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
  return trimmed.replaceAll(/[\s._-]/g, "");
}

/** Three different characters, or one short piece again and again. */
function hasLittleVariety(password: string): boolean {
  return new Set(password).size <= 3 || /^(.{1,4})\1+$/u.test(password);
}

/** `abcdefghij`, `9876543210`: every step the same. */
function isStaircase(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, i) => code - (codes[i] ?? 0));
  const jumps = steps.filter((step) => Math.abs(step) !== 1).length;
  return jumps <= 1; // 1234567890 jumps once
}

function isNameOf(password: string, name: string): boolean {
  const [local = name] = name.split("@");
  return [name, local].some((part) => part.length >= 3 && password.replaceAll(part, "").length < 4);
}
