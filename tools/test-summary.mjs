// Turns vitest's JSON reports into one honest line.

/** @typedef {{ name: string, reason: string }} Remark */
/** @typedef {{ passed: number, failed: Remark[], skipped: Remark[] }} Tally */

/** @returns {Tally} */
export function emptyTally() {
  return { passed: 0, failed: [], skipped: [] };
}

/**
 * @param {readonly Tally[]} tallies
 * @returns {Tally}
 */
export function addTallies(tallies) {
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
  };
}

/** @param {Tally} tally */
export function summaryLine({ passed, failed, skipped }) {
  const line = `${passed} passed, ${failed.length} failed`;
  return skipped.length === 0 ? line : `${line}, ${skipped.length} skipped`;
}

/** A run in which nothing was tested proves nothing. @param {Tally} tally */
export function isGreen({ passed, failed }) {
  return failed.length === 0 && passed > 0;
}

/**
 * @typedef {object} Assertion
 * @property {string} fullName
 * @property {string} status
 * @property {string[]} [failureMessages]
 * @property {{ skipReason?: string }} [meta]
 */

/** @typedef {{ testResults: { name: string, status: string, message: string, assertionResults: Assertion[] }[] }} Report */

/**
 * @param {object} run
 * @param {string} run.project
 * @param {string | undefined} run.text the report, if vitest lived to write one
 * @param {number} run.code vitest's exit code
 * @param {boolean} [run.byName] only tests with a certain name were asked for: the others are not worth a word
 * @returns {Tally}
 */
export function readReport({ project, text, code, byName = false }) {
  if (text === undefined) {
    return {
      ...emptyTally(),
      failed: [{ name: project, reason: `vitest ended with ${code} before it wrote a report` }],
    };
  }
  const report = /** @type {Report} */ (JSON.parse(text));
  const tally = addTallies(report.testResults.map((file) => readFile(file, byName)));
  // A rejection that nobody handled, or a reporter that broke: no test carries it, so it is counted here.
  if (code !== 0 && tally.failed.length === 0) {
    tally.failed.push({
      name: project,
      reason: `vitest ended with ${code} although every test passed; see its errors above`,
    });
  }
  return tally;
}

/**
 * @param {Report["testResults"][number]} file
 * @param {boolean} byName
 * @returns {Tally}
 */
function readFile(file, byName) {
  const tally = emptyTally();
  for (const { fullName, status, failureMessages, meta } of file.assertionResults) {
    const name = fullName.trim();
    if (status === "passed") tally.passed += 1;
    else if (status === "failed") tally.failed.push({ name, reason: firstLine(failureMessages?.[0] ?? "") });
    else if (status === "skipped" || status === "todo") {
      const reason = meta?.skipReason ?? (status === "todo" ? "not written yet" : undefined);
      if (reason !== undefined || !byName) tally.skipped.push({ name, reason: reason ?? "no reason given" });
    } else tally.failed.push({ name, reason: `it did not finish (${status})` });
  }
  // A file that cannot be loaded, or whose set-up fails, has no failed test to show for it.
  if (file.status === "failed" && tally.failed.length === 0) {
    tally.failed.push({ name: file.name, reason: firstLine(file.message) });
  }
  return tally;
}

/** @param {string} text */
function firstLine(text) {
  return text.split("\n", 1)[0] ?? "";
}
