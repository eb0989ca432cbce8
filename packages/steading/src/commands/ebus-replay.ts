import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createReplay, telegramJson, telegramLine } from "@steading/ebus";
import { SteadingError } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import type { World } from "../world.ts";

export interface ReplayFlags {
  readonly summary?: true;
  readonly json?: true;
}

/** Ends with 0 when the recording was read to its end, with 2 when it is none. */
export async function ebusReplay(file: string, flags: ReplayFlags, world: World): Promise<number> {
  const replay = createReplay({
    telegram(heard) {
      if (flags.summary) return;
      world.stdout.write(`${flags.json ? JSON.stringify(telegramJson(heard)) : telegramLine(heard)}\n`);
    },
  });
  const input: Readable = file === "-" ? world.stdin : createReadStream(file, { signal: world.stop });
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) replay.line(line);
  } catch (cause) {
    if (world.stop.aborted) return EXIT.ok;
    if (cause instanceof SteadingError) throw new SteadingError("USAGE", cause.message, { cause });
    throw new SteadingError("USAGE", `Cannot read ${file}.`, { cause });
  }
  const { summary } = replay;
  if (summary.symbols === 0) throw new SteadingError("USAGE", `${file} holds no recording.`);
  world.stdout.write(
    flags.json
      ? `${JSON.stringify({ summary })}\n`
      : `${summary.telegrams} telegrams, ${summary.symbols} symbols in ${(summary.spanMs / 1_000).toFixed(1)} s; broken: ${broken(summary.broken)}\n`,
  );
  return EXIT.ok;
}

function broken(counts: Readonly<Partial<Record<string, number>>>): string {
  const words = Object.entries(counts).map(([reason, count]) => `${count} ${reason}`);
  return words.length === 0 ? "none" : words.join(", ");
}
