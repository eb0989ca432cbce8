import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KERNEL_ERRORS } from "./kernel-errors.ts";

const here = import.meta.dirname;
const sources = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("testing"))
  .filter((file) => file !== "kernel-errors.ts");
const text = sources.map((file) => readFileSync(join(here, file), "utf8")).join("\n");
const reference = readFileSync(join(here, "../../../docs/reference/kernel.md"), "utf8");
const codes = Object.keys(KERNEL_ERRORS);

// @proves kernel.error.codes-in-table
test("the codes are these", () => {
  expect(codes.toSorted()).toEqual([
    "ACCESS_DENIED",
    "ACTION_UNKNOWN",
    "APPROVALS_FULL",
    "APPROVAL_DECLINED",
    "APPROVAL_EXPIRED",
    "APPROVAL_MISMATCH",
    "APPROVAL_OWN",
    "APPROVAL_PENDING",
    "APPROVAL_UNKNOWN",
    "APPROVAL_USED",
    "ARGUMENTS_TOO_LARGE",
    "CANCELLED",
    "CONFIRMATION_REQUIRED",
    "CONFLICT",
    "EXCLUDED",
    "FEATURE_OFF",
    "INTERNAL",
    "INTERRUPTED",
    "INVALID_ARGUMENTS",
    "LANE_BUSY",
    "LIMIT_EXCEEDED",
    "NOT_OBSERVED",
    "OBSERVER_UNKNOWN",
    "RATE_EXCEEDED",
    "REVISION_STALE",
    "SERVER_READ_ONLY",
    "SNAPSHOT_NOT_FOUND",
    "SNAPSHOT_TOO_LARGE",
    "STORE_CLOSED",
    "STORE_FULL",
    "SUPERSEDED",
    "TIMEOUT",
    "TOO_SOON",
  ]);
});

// @proves kernel.error.every-code-thrown
test("every code is made somewhere in the source", () => {
  const unused = codes.filter((code) => !new RegExp(`(kernelError\\(\\s*|code: )"${code}"`).test(text));
  expect(unused).toEqual([]);
});

// @proves kernel.error.every-code-documented kernel.error.no-documented-code-gone
test("the reference explains every code and no other", () => {
  const documented = [...reference.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code = ""]) => code);
  expect(documented.toSorted()).toEqual(codes.toSorted());
});

test("the reference says of each code whether a repeat may help", () => {
  for (const [code, { retryable }] of Object.entries(KERNEL_ERRORS)) {
    const row = reference.split("\n").find((line) => line.startsWith(`| \`${code}\` |`)) ?? "";
    expect(row, code).toContain(retryable ? "| yes |" : "| no |");
  }
});

// @proves kernel.error.never-a-string kernel.arrows.kernel-only-node-crypto kernel.arrows.kernel-imports-nothing-of-ours
test("the source throws no plain string, imports nothing of ours and of Node only node:crypto", () => {
  expect(text).not.toMatch(/throw\s+["'`]/);
  expect(text).not.toContain('from "@steading/');
  const modules = new Set([...text.matchAll(/from "(node:[a-z/_]+)"/g)].map(([, name]) => name));
  expect([...modules]).toEqual(["node:crypto"]);
});
