import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Turns a thread's TypeScript into one script. A worker inherits no loader from a test runner, and registering one in
 * every worker costs 200 to 500 ms; one bundle per process costs 60. Only ever runs from source, where the workspace
 * has its tools installed; the built package has nothing to bundle.
 */
export function bundleThread(url: URL): string {
  const known = bundles.get(url.href);
  if (known !== undefined) return known;
  const require = createRequire(url);
  // The one function of esbuild that is used here; the package is a tool of the workspace and not ours to depend on.
  const { buildSync } = require("esbuild") as { buildSync(options: object): { outputFiles: { text: string }[] } };
  const built = buildSync({
    entryPoints: [fileURLToPath(url)],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    conditions: ["@steading/source"],
    external: ["better-sqlite3"],
  });
  const script = built.outputFiles.map(({ text }) => text).join("\n");
  // A script without a file resolves packages from the working directory; this one must resolve them from its source.
  const bound = `{const require = process.getBuiltinModule("node:module").createRequire(${JSON.stringify(url.href)});${script}\n}`;
  bundles.set(url.href, bound);
  return bound;
}

/** Remembers a pure function of files that do not change while a process runs; one entry a thread. */
const bundles = new Map<string, string>();
