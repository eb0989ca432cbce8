import { fileURLToPath } from "node:url";

/** The committed launcher, as a user's shell finds it. */
export const STEADING_COMMAND = fileURLToPath(new URL("../../packages/steading/bin/steading.js", import.meta.url));

/** What a child process of a test inherits: enough to run, and none of the settings of whoever runs the tests. */
export function plainEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(STEADING_|VITEST|NODE_OPTIONS|NODE_ENV|TEST$|FORCE_COLOR|NO_COLOR)/.test(name),
  );
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
