import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINES, provideReferee, type Referee, type Verdict } from "./referee.ts";
import { startFixtures, type Fixtures } from "./start-fixtures.ts";

const folder = fileURLToPath(new URL("../../node_modules/.cache/mcp-referee", import.meta.url));
const PATHS = ["hot", "cold"] as const;

const started: Fixtures[] = [];
const verdicts = new Map<string, Promise<Verdict>>();
let missing: string | undefined;

beforeAll(async () => {
  const referee = await provideReferee(folder).catch((fault: Error) => void (missing = fault.message));
  if (referee === undefined) return;
  // Both paths side by side, because the referee mostly waits; on each one line after the other, because scenarios
  // change lists and count what they are told.
  for (const path of PATHS) {
    const fixtures = await startFixtures(path, referee);
    started.push(fixtures);
    judgeAll(referee, path, fixtures.url);
  }
});
afterAll(() => Promise.all(started.splice(0).map((fixtures) => fixtures.stop())));

function judgeAll(referee: Referee, path: string, url: string): void {
  let before: Promise<unknown> = Promise.resolve();
  for (const line of COMMAND_LINES) {
    const results = join(folder, "results", path, line.name.replaceAll(" ", "-"));
    const judged = before.then(() => referee.judge(line, url, results));
    before = judged.catch(() => {});
    verdicts.set(`${path} ${line.name}`, judged);
  }
}

const runs = PATHS.flatMap((path) => COMMAND_LINES.map(({ name, version }) => ({ path, name, version })));

// @proves mcp.conformance.2026-requirements mcp.conformance.2025-requirements mcp.conformance.stable-suite mcp.conformance.hot-path-on-and-off mcp.conformance.on-every-change mcp.conformance.referee-pinned mcp.conformance.localhost-without-credentials mcp.conformance.same-shell mcp.packages.node-20-runnable mcp.packages.node-22-runtime
test.for(runs)(
  "the referee has no objections: $name, version $version, $path path",
  async ({ path, name }, { skip }) => {
    if (missing !== undefined) return skip(missing);
    const verdict = await verdicts.get(`${path} ${name}`);
    expect(verdict?.objections).toEqual([]);
    expect(verdict?.passed).toBeGreaterThan(40);
  },
);
