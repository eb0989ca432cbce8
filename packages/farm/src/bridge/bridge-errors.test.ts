import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BRIDGE_ERRORS, bridgeStatus } from "./bridge-errors.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/farm-bridge.md"), "utf8");

test("every code of the bridge is documented under the status it has", () => {
  const rows = page.split("\n").filter((line) => /^\| \d{3} \|/.test(line));
  const documented = Object.fromEntries(
    rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(row.slice(2, 5))])),
  );
  const thrown = Object.fromEntries(Object.keys(BRIDGE_ERRORS).map((code) => [code, bridgeStatus(code)]));
  expect(documented).toEqual(thrown);
});
