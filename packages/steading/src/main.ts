import { CommanderError } from "@commander-js/extra-typings";
import { createProgram } from "./commands/program.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import type { World } from "./world.ts";

/** Runs one command and returns its exit code. Whatever goes wrong ends as a sentence on standard error. */
export async function main(world: World): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(world, (finished) => (code = finished));
  try {
    await program.parseAsync([...world.argv], { from: "user" });
    return code;
  } catch (error) {
    // Commander has already said what it had to say; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return explain(error, world);
  }
}

async function explain(error: unknown, { stderr, argv }: World): Promise<number> {
  const { SteadingError } = await import("@steading/kernel"); // help must not wait for it
  if (!(error instanceof SteadingError)) {
    stderr.write(
      `Something went wrong inside Steading: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.internal;
  }
  if (argv.includes("--json")) stderr.write(`${JSON.stringify(error.toJson())}\n`);
  else stderr.write(`${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}\n`);
  return exitCodeOf(error.code);
}
