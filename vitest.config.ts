import { defineConfig } from "vitest/config";

// Workspace packages resolve to their source through this condition, so nothing is built to run a test.
const source = { conditions: ["@steading/source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "unit", include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "acceptance",
          include: ["test/{acceptance,faults,conformance}/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
