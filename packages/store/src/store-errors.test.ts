import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { STORE_ERRORS } from "./store-errors.ts";

const SOURCE = fileURLToPath(new URL("./", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/reference/store.md", import.meta.url));
const codes = Object.keys(STORE_ERRORS).sort();

test("the reference lists every code, with the truth about trying again, and no other", () => {
  const rows = [...readFileSync(PAGE, "utf8").matchAll(/^\| `([A-Z_]+)` +\| (yes|no) +\|/gm)];
  const listed = rows.map(([, code = "", again]) => [code, again === "yes"] as const);
  const table = Object.entries(STORE_ERRORS).map(([code, { retryable }]) => [code, retryable] as const);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(table));
  expect(listed).toHaveLength(table.length);
});

test("every code is thrown somewhere", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /^[^.]+\.ts$/.test(file));
  const source = files
    .filter((file) => !file.endsWith("store-errors.ts"))
    .map((file) => readFileSync(join(SOURCE, file), "utf8"))
    .join("\n");
  expect(codes.filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});
