import { PassThrough } from "node:stream";
import { recordOutput } from "../../../../test/support/run-record.ts";
import { main } from "../main.ts";
import type { World } from "../world.ts";

export interface Ran {
  readonly code: Promise<number>;
  readonly out: () => string;
  readonly err: () => string;
  readonly input: PassThrough;
  stop(): void;
}

/** Runs a command in this process, as the launcher does, with streams that can be looked into. */
export function runMain(argv: readonly string[], world: Partial<World> = {}): Ran {
  const stop = new AbortController();
  const input = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const out = collected(stdout);
  const err = collected(stderr);
  const code = main({
    argv,
    variables: {},
    stdin: input,
    stdout,
    stderr,
    workingDirectory: "/nowhere",
    stop: stop.signal,
    ...world,
  });
  const ended = code.finally(() => recordOutput("logs", err()));
  return { code: ended, out, err, input, stop: () => stop.abort() };
}

function collected(stream: PassThrough): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  return () => text;
}
