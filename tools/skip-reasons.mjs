/** vitest's JSON report leaves out why a test was skipped. It does write a test's `meta`, so the reason travels there. */
export default class SkipReasons {
  /** @param {import("vitest/node").TestCase} test */
  onTestCaseResult(test) {
    const result = test.result();
    if (result.state === "skipped" && result.note !== undefined)
      Object.assign(test.meta(), { skipReason: result.note });
  }
}
