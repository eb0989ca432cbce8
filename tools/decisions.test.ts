import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../docs/decisions");
const pages = readdirSync(folder).filter((name) => name !== "README.md");

test("every decision is in the index, under its own number, once", () => {
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\((.*?)\)/gm)].map(([, number, page]) => ({ number, page }));

  expect(listed.map(({ page }) => page)).toEqual(pages.toSorted());
  for (const { number, page } of listed) expect(page).toMatch(new RegExp(`^${number}-`));
});

test("no two decisions share a number", () => {
  const numbers = pages.map((page) => page.slice(0, 4));

  expect(numbers).toEqual([...new Set(numbers)]);
});
