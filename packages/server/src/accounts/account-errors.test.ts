import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ACCOUNT_ERRORS } from "./account-errors.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const reference = readFileSync(new URL("../../../../docs/reference/accounts.md", import.meta.url), "utf8");
const source = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith("account-errors.ts"))
  .map((file) => readFileSync(`${here}${file}`, "utf8"))
  .join("\n");

test("every code is raised somewhere and explained, and no explained code is gone", () => {
  const codes = Object.keys(ACCOUNT_ERRORS);
  for (const code of codes) expect(source).toContain(`"${code}"`);
  const explained = [...reference.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(new Set(explained)).toEqual(new Set(codes));
});
