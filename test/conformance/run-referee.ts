// Runs the MCP conformance referee against the shell and prints what it found; the same is part of `npm test`.
//
//   npm run conformance [-- --url http://localhost:3000/mcp] [-- --keep <folder>]

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { COMMAND_LINES, provideReferee } from "./referee.ts";
import { startFixtures } from "./start-fixtures.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, keep: { type: "string" } } });
const folder = values.keep ?? fileURLToPath(new URL("../../node_modules/.cache/mcp-referee", import.meta.url));
const referee = await provideReferee(folder);

async function judge(url: string, label: string): Promise<boolean> {
  let clean = true;
  for (const line of COMMAND_LINES) {
    const results = join(folder, "results", label, line.name.replaceAll(" ", "-"));
    const { passed, objections } = await referee.judge(line, url, results);
    console.log(`${label.padEnd(9)} ${line.name.padEnd(15)} ${passed} passed, ${objections.length} objections`);
    for (const objection of objections) console.log(`          ${objection}`);
    clean &&= objections.length === 0;
  }
  return clean;
}

let clean = true;
if (values.url !== undefined) clean = await judge(values.url, "given");
else {
  for (const path of ["hot", "cold"] as const) {
    const fixtures = await startFixtures(path, referee);
    clean = (await judge(fixtures.url, path)) && clean;
    await fixtures.stop();
  }
}
process.exitCode = clean ? 0 : 1;
