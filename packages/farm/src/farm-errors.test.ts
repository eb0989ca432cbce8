import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FARM_ERRORS } from "./farm-errors.ts";
import { farmStatus } from "./farm-status.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/farm.md"), "utf8");

test("every code of the farm is documented under the status it has", () => {
  const rows = page.split("\n").filter((line) => /^\| \d{3} \|/.test(line));
  const documented = Object.fromEntries(
    rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(row.slice(2, 5))])),
  );
  const thrown = Object.fromEntries(Object.keys(FARM_ERRORS).map((code) => [code, farmStatus(code)]));
  expect(documented).toEqual(thrown);
});
