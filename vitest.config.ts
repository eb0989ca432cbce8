import { defineConfig } from "vitest/config";
import { TEST_PROJECTS } from "./tools/test-projects.mjs";

// Workspace packages resolve to their source through this condition, so nothing is built to run a test.
const source = { conditions: ["@steading/source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    projects: TEST_PROJECTS.map(({ name, include, timeoutMs, setupFiles = [], oneFileAtATime = false }) => ({
      extends: true,
      test: {
        name,
        include,
        setupFiles,
        fileParallelism: !oneFileAtATime,
        ...(timeoutMs !== undefined && { testTimeout: timeoutMs, hookTimeout: timeoutMs }),
        // As patient as a test itself: what is waited for comes when the machine gets to it.
        ...(timeoutMs !== undefined && { expect: { poll: { timeout: timeoutMs / 2 } } }),
      },
    })),
  },
});
