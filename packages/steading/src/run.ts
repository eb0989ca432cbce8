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
process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);
process.on("SIGHUP", onSignal);

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
