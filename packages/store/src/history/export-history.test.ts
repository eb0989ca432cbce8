import { createManualClock, hours } from "@steading/kernel";
import { expect, test } from "vitest";
import type { ExportQuery, Reading } from "../history.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

const START = Date.UTC(2026, 0, 1);

async function exported(readings: readonly Reading[], query: Partial<ExportQuery> & Pick<ExportQuery, "format">) {
  const clock = createManualClock(START);
  await clock.advance(hours(10));
  const store = await openTestStore(temporaryDirectory(), { clock });
  store.history.define("/a", { unit: "°C" });
  await store.history.append(readings);
  const paths = [...new Set(["/a", ...readings.map(({ path }) => path)])];
  let text = "";
  let pieces = 0;
  for await (const piece of store.history.export({ paths, from: START, to: START + hours(9), ...query })) {
    text += piece;
    pieces++;
  }
  return { text, pieces };
}

const READINGS: readonly Reading[] = [
  { path: "/a", at: START, value: 21.5, quality: "good" },
  { path: "/a", at: START + 1_000, value: 'say "hi", twice', quality: "bad" },
  { path: "/b", at: START + 500, value: '=HYPERLINK("http://x")', quality: "good" },
  { path: "/b", at: START + 600, value: -4, quality: "stale" },
];

test("CSV is quoted, in order of path and time, and runs no formulas", async () => {
  const { text } = await exported(READINGS, { format: "csv" });
  expect(text).toBe(
    [
      "path,at,value,quality,unit",
      "/a,2026-01-01T00:00:00.000Z,21.5,good,°C",
      '/a,2026-01-01T00:00:01.000Z,"say ""hi"", twice",bad,°C',
      `/b,2026-01-01T00:00:00.500Z,"'=HYPERLINK(""http://x"")",good,`,
      "/b,2026-01-01T00:00:00.600Z,-4,stale,",
      "",
    ].join("\r\n"),
  );
});

test("JSON is one array and lines are one object each, also when there is nothing", async () => {
  const { text } = await exported(READINGS, { format: "json" });
  expect(JSON.parse(text)).toEqual([
    { path: "/a", at: "2026-01-01T00:00:00.000Z", value: 21.5, quality: "good", unit: "°C" },
    { path: "/a", at: "2026-01-01T00:00:01.000Z", value: 'say "hi", twice', quality: "bad", unit: "°C" },
    { path: "/b", at: "2026-01-01T00:00:00.500Z", value: '=HYPERLINK("http://x")', quality: "good", unit: null },
    { path: "/b", at: "2026-01-01T00:00:00.600Z", value: -4, quality: "stale", unit: null },
  ]);
  const lines = await exported(READINGS, { format: "lines" });
  expect(
    lines.text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(JSON.parse(text));
  expect(JSON.parse((await exported([], { format: "json" })).text)).toEqual([]);
  expect((await exported([], { format: "lines" })).text).toBe("");
});

test("a long export comes in pieces and misses nothing between them", async () => {
  const many = Array.from({ length: 12_345 }, (_, n): Reading => ({
    path: "/a",
    at: START + n,
    value: n,
    quality: "good",
  }));
  const { text, pieces } = await exported(many, { format: "lines" });
  expect(pieces).toBe(3);
  const values = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Reading).value);
  expect(values).toEqual(many.map(({ value }) => value));
});

test("minutes can be exported as well, and a cancelled export stops", async () => {
  const many = Array.from({ length: 180 }, (_, n): Reading => ({
    path: "/a",
    at: START + n * 1_000,
    value: n,
    quality: "good",
  }));
  const { text } = await exported(many, { format: "csv", level: "minute" });
  expect(text.split("\r\n").slice(0, 2)).toEqual([
    "path,at,count,bad,min,max,mean,first,last,covered_ms,unit",
    "/a,2026-01-01T00:00:00.000Z,60,0,0,59,29.5,0,59,59000,°C",
  ]);
  await expect(exported(many, { format: "csv", signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
});
