import { describe, expect, test } from "vitest";
import { addTallies, emptyTally, isGreen, readReport, summaryLine } from "./test-summary.mjs";

function report(...assertionResults: object[]): string {
  return JSON.stringify({ testResults: [{ name: "lamp.test.ts", status: "passed", message: "", assertionResults }] });
}

const passed = { fullName: " a lamp shines", status: "passed" };

test("passed, failed and skipped tests are counted over all projects", () => {
  const failed = { fullName: " a lamp lies", status: "failed", failureMessages: ["Error: lied\n    at lamp"] };
  const skipped = { fullName: " a lamp on mqtt", status: "skipped", meta: { skipReason: "no broker" } };
  const tally = addTallies([
    readReport({ project: "unit", text: report(passed, passed, failed), code: 1 }),
    readReport({ project: "acceptance", text: report(passed, skipped), code: 0 }),
  ]);

  expect(summaryLine(tally)).toBe("3 passed, 1 failed, 1 skipped");
  expect(tally.failed).toEqual([{ name: "a lamp lies", reason: "Error: lied" }]);
  expect(tally.skipped).toEqual([{ name: "a lamp on mqtt", reason: "no broker" }]);
  expect(isGreen(tally)).toBe(false);
});

test("without skipped tests the line does not speak of them", () => {
  const tally = readReport({ project: "unit", text: report(passed), code: 0 });

  expect(summaryLine(tally)).toBe("1 passed, 0 failed");
  expect(isGreen(tally)).toBe(true);
});

test("a run in which nothing was tested is not green", () => {
  expect(isGreen(emptyTally())).toBe(false);
  expect(isGreen(readReport({ project: "unit", text: report({ ...passed, status: "skipped" }), code: 0 }))).toBe(false);
});

describe("failures that no test carries count as one", () => {
  test("a file that cannot be loaded", () => {
    const text = JSON.stringify({
      testResults: [{ name: "lamp.test.ts", status: "failed", message: "no such module\nat", assertionResults: [] }],
    });

    expect(readReport({ project: "unit", text, code: 1 }).failed).toEqual([
      { name: "lamp.test.ts", reason: "no such module" },
    ]);
  });

  test("vitest ends badly although every test passed", () => {
    const tally = readReport({ project: "unit", text: report(passed), code: 1 });

    expect(summaryLine(tally)).toBe("1 passed, 1 failed");
  });

  test("vitest dies before it writes a report", () => {
    expect(summaryLine(readReport({ project: "unit", text: undefined, code: 134 }))).toBe("0 passed, 1 failed");
  });

  test("a test that never finished", () => {
    expect(
      readReport({ project: "unit", text: report({ ...passed, status: "pending" }), code: 1 }).failed,
    ).toHaveLength(1);
  });
});

test("a skip without a reason is shown, except when tests were chosen by name", () => {
  const text = report(passed, { fullName: "another", status: "skipped" }, { fullName: "a third", status: "todo" });

  expect(readReport({ project: "unit", text, code: 0 }).skipped).toEqual([
    { name: "another", reason: "no reason given" },
    { name: "a third", reason: "not written yet" },
  ]);
  expect(readReport({ project: "unit", text, code: 0, byName: true }).skipped).toEqual([
    { name: "a third", reason: "not written yet" },
  ]);
});
