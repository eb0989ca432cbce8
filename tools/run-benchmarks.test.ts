import { expect, test } from "vitest";
import { chosenBenchmarks } from "./run-benchmarks.mjs";

const ALL = ["accounts", "ebus-decoder", "ebus-hour", "store-history", "store-history-long"];

test("the beginning of a name stands for every benchmark that begins so", () => {
  expect(chosenBenchmarks(ALL, ["ebus"])).toEqual({ chosen: ["ebus-decoder", "ebus-hour"], unknown: [] });
});

test("a whole name stands for that benchmark alone, although others begin so", () => {
  expect(chosenBenchmarks(ALL, ["store-history"]).chosen).toEqual(["store-history"]);
});

test("without a name all run, and none runs twice", () => {
  expect(chosenBenchmarks(ALL, []).chosen).toEqual(ALL);
  expect(chosenBenchmarks(ALL, ["ebus-hour", "ebus"]).chosen).toEqual(["ebus-hour", "ebus-decoder"]);
});

test("a word that no name begins with is told", () => {
  expect(chosenBenchmarks(ALL, ["ebus", "bus", ""])).toMatchObject({ unknown: ["bus", ""] });
});
