import { expect, test } from "vitest";
import { checkPassword, normalPassword } from "./password-rules.ts";

const rules = { passwordCharacters: 10, passwordBytes: 1_024 };
const check = (password: string, name = "anna") => checkPassword(password, name, rules);
const refusal = (code: string): unknown => expect.objectContaining({ code });

test.each(["mole carries lantern", "u7#Kd9!pQz", "Zehn Öfen im Süden", "correct-horse-of-my-own"])(
  "%s is a password",
  (password) => {
    expect(() => check(password)).not.toThrow();
  },
);

test("nine characters are too few, ten are enough, and characters count, not bytes", () => {
  expect(() => check("u7#Kd9!pQ")).toThrow(refusal("PASSWORD_TOO_SHORT"));
  expect(() => check("äöüÄÖÜßéè")).toThrow(refusal("PASSWORD_TOO_SHORT"));
  expect(() => check("u7#Kd9!pQz")).not.toThrow();
  expect(() => check("🌾🐄🐓🚜🌧🔥🪵🧺🐝")).toThrow(refusal("PASSWORD_TOO_SHORT"));
});

test.each([
  "password12",
  "Password2024!!",
  "p4$$w0rd123",
  "4dm1n1str4t0r99",
  "pass-word-1234",
  "1234567890",
  "0987654321",
  "abcdefghijkl",
  "aaaaaaaaaaaa",
  "1212121212",
  "abcabcabcabc",
  "qwertyuiop",
  "QWERTZUIOP1",
  "administrator",
  "1q2w3e4r5t",
  "letmein!!!!!",
  "correcthorsebatterystaple",
])("%s is among the first that anybody would try", (password) => {
  expect(() => check(password)).toThrow(refusal("PASSWORD_WELL_KNOWN"));
});

test("one's own name with something short around it is no password", () => {
  expect(() => check("anna@example.org", "anna@example.org")).toThrow(refusal("PASSWORD_WELL_KNOWN"));
  expect(() => check("Katharina99", "katharina@example.org")).toThrow(refusal("PASSWORD_WELL_KNOWN"));
  expect(() => check("katharina likes rain", "katharina")).not.toThrow();
});

test("a password of more than 1024 bytes is refused before anything is done with it", () => {
  expect(() => check(`${"tractor ".repeat(128)}!`)).toThrow(refusal("PASSWORD_TOO_LONG"));
  expect(() => check("\uFDFA".repeat(400))).toThrow(refusal("PASSWORD_TOO_LONG"));
  expect(() => check("x".repeat(50_000_000))).toThrow(refusal("PASSWORD_TOO_LONG"));
});

test("a password is the same however its letters were composed", () => {
  expect(normalPassword("Zu\u0308ndkerze")).toBe(normalPassword("Z\u00FCndkerze"));
});
