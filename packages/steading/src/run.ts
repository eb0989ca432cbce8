import { EXIT } from "./exit-codes.ts";
import { main } from "./main.ts";

const stop = new AbortController();
let askedAt: number | undefined;

function onSignal(): void {
  // A terminal signals the whole group and a launcher passes it on: two in a moment are one wish. A later one means it.
  if (askedAt === undefined) {
    askedAt = performance.now();
    stop.abort();
  } else if (performance.now() - askedAt > 1_000) process.exit(130);
}
// SIGHUP is left alone: a handler would undo `nohup`.
process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);
// A reader that went away (`steading start | head`) is no reason to stop a hub.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
process.on("uncaughtException", (error) => {
  process.stderr.write(`Something went wrong inside Steading: ${error.stack ?? error.message}\n`);
  process.exit(EXIT.internal);
});

const code = await main({
  argv: process.argv.slice(2),
  variables: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  workingDirectory: process.cwd(),
  stop: stop.signal,
});
// Standard input may still be open; nothing of ours waits for it.
process.stdout.write("", () => process.exit(code));
