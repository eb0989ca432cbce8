import { expect, test } from "vitest";
import { dataDirectory, socketPath } from "./data-directory.ts";
import { readEnvironment } from "./environment.ts";

test("the data directory is the flag's, else the variable's, else the platform's", () => {
  const home = { HOME: "/home/anna" };
  expect(dataDirectory("/x", readEnvironment({ ...home, STEADING_DATA: "/y" }))).toBe("/x");
  expect(dataDirectory(undefined, readEnvironment({ ...home, STEADING_DATA: "/y" }))).toBe("/y");
  expect(dataDirectory(undefined, readEnvironment({ ...home, XDG_DATA_HOME: "/z" }))).toBe("/z/steading");
  expect(dataDirectory(undefined, readEnvironment(home))).toBe("/home/anna/.local/share/steading");
});

// @proves steading.stdio.socket-in-data-directory
test("the local socket is steading.sock in the data directory", () => {
  expect(socketPath("/x")).toBe("/x/steading.sock");
});

// @proves steading.bootstrap-token.at-least-32-characters
test("a bootstrap token of fewer than 32 characters is refused", () => {
  const given = (length: number) => readEnvironment({ STEADING_BOOTSTRAP_TOKEN: "x".repeat(length) }).bootstrapToken;
  expect(() => given(31)).toThrow(
    expect.objectContaining({ code: "ENVIRONMENT_INVALID", message: expect.stringContaining("31") }),
  );
  expect(given(32)).toBe("x".repeat(32));
  expect(() => readEnvironment({ STEADING_BOOTSTRAP_TOKEN: `${"x".repeat(40)} y` })).toThrow(
    /characters that a bearer token/,
  );
});

// @proves steading.config.contract-environment-names
test("HOST and PORT are read, and a port that is none is refused by name", () => {
  expect(readEnvironment({ HOST: "127.0.0.2", PORT: "8080" })).toMatchObject({ host: "127.0.0.2", port: 8080 });
  expect(() => readEnvironment({ PORT: "http" })).toThrow(/^PORT is not a port/);
});

test("a role that does not exist is refused by name", () => {
  expect(readEnvironment({ STEADING_ROLE: "viewer" }).role).toBe("viewer");
  expect(() => readEnvironment({ STEADING_ROLE: "root" })).toThrow(
    /STEADING_ROLE is not a role; set it to viewer, operator, admin/,
  );
});

test("an empty variable is an unset one", () => {
  expect(readEnvironment({ STEADING_DATA: "", PORT: "", STEADING_ROLE: "" })).toEqual({ home: "." });
});
