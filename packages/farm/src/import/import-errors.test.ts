import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { IMPORT_ERRORS } from "./import-errors.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/farm-import.md"), "utf8");

test("the page about imports lists every code, and no other", () => {
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  const elsewhere = ["SOURCE_UNREADABLE", "SOURCE_BUSY", "STORE_FULL", "DATA_DIR_LOCKED"];
  expect(new Set(listed)).toEqual(new Set([...Object.keys(IMPORT_ERRORS), ...elsewhere]));
  expect(listed).toHaveLength(new Set(listed).size);
});
