import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "./build.mjs";

/**
 * `bench [names] [options]`: leading words name files of bench/, or how their names begin; the rest is handed to each of
 * them.
 * @param {import("./commands.mjs").Job} job
 */
export async function runBenchmarks({ root, children, args }) {
  const all = benchmarks(root);
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const named = firstOption === -1 ? args : args.slice(0, firstOption);
  const options = args.slice(named.length);
  const { chosen, unknown } = chosenBenchmarks(all, named);
  if (unknown.length > 0) {
    console.error(
      `No benchmark is called or begins with ${unknown.join(", ")}; there is ${all.join(", ") || "none yet"}.`,
    );
    return 2;
  }
  // Benchmarks that start the product run what was built; the others read the source.
  const built = await build({ root, children });
  if (built.code !== 0) return built.code;
  /** @type {string[]} */
  const failed = [];
  for (const name of chosen) {
    console.log(`\n── ${name}`);
    const node = ["--conditions=@steading/source", "--import", "tsx", join(root, "bench", `${name}.ts`), ...options];
    const { code } = await children.run(process.execPath, node, { cwd: root });
    if (children.stoppedBy() !== undefined) return code;
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(", ")}`);
  return failed.length > 0 ? 1 : 0;
}

/**
 * A whole name is that benchmark alone; any other word is every benchmark that begins with it.
 * @param {readonly string[]} all
 * @param {readonly string[]} words
 */
export function chosenBenchmarks(all, words) {
  const found = words.map((word) =>
    all.includes(word) ? [word] : all.filter((name) => word && name.startsWith(word)),
  );
  return {
    chosen: words.length > 0 ? [...new Set(found.flat())] : [...all],
    unknown: words.filter((_, at) => found[at]?.length === 0),
  };
}

/** One file a claim; what a claim is measured against stands beside it as `x-peer.ts`. @param {string} root */
function benchmarks(root) {
  const folder = join(root, "bench");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith("-peer.ts"))
    .map((file) => basename(file, ".ts"))
    .toSorted();
}
