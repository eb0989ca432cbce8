import { createWriteStream, type WriteStream } from "node:fs";
import { once } from "node:events";
import {
  createAdapterDial,
  createBus,
  createCaptureWriter,
  readAdapterAddress,
  telegramJson,
  telegramLine,
  type AdapterAddress,
} from "@steading/ebus";
import { createRealClock, createReception, seconds, silentLog, SteadingError } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import type { World } from "../world.ts";
import { stopped } from "./stopped.ts";

export interface DumpFlags {
  readonly seconds?: number;
  readonly telegrams?: number;
  readonly out?: string;
  readonly json?: true;
}

const UNREACHABLE = "ADAPTER_UNREACHABLE";
/** How long an adapter may stay away before that is an error instead of patience. */
const FIRST_CONNECT = seconds(10);

/** Listens and prints. Ends with 0 when told to stop, with 5 when the adapter cannot be reached. */
export async function ebusDump(adapter: string, flags: DumpFlags, world: World): Promise<number> {
  const address = asAddress(adapter);
  if (address.protocol === "text")
    throw new SteadingError("USAGE", "ebusd's text port shows no telegrams; name the adapter itself.");
  const clock = createRealClock();
  const bus = createBus({
    name: "dump",
    dial: createAdapterDial({ address, clock }),
    protocol: address.protocol,
    readOnly: true,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  const enough = new AbortController();
  const signal = AbortSignal.any([world.stop, enough.signal]);
  let printed = 0;
  let failure: SteadingError | undefined;
  const end = (error?: SteadingError): void => {
    failure ??= error;
    enough.abort();
  };

  const file = flags.out === undefined ? undefined : await openFile(flags.out);
  file?.on("error", (cause) => end(new SteadingError("USAGE", `Cannot write ${flags.out}.`, { cause })));
  const capture = file && createCaptureWriter((text) => void file.write(text));
  // What else came in the same piece is neither printed nor kept: the recording ends where the printing does.
  if (capture) bus.onSymbol((symbol) => void (enough.signal.aborted || capture.symbol(symbol, clock.now())));
  bus.onTelegram((heard) => {
    if (enough.signal.aborted) return;
    world.stdout.write(`${flags.json ? JSON.stringify(telegramJson(heard)) : telegramLine(heard)}\n`);
    printed += 1;
    if (printed === flags.telegrams) end();
  });
  bus.onState(({ misconfigured }) => {
    if (misconfigured)
      end(new SteadingError("USAGE", `The adapter at ${adapter} speaks ${WORDS[misconfigured]}; correct its address.`));
  });
  const cancels = [
    clock.timer(FIRST_CONNECT, () => {
      if (bus.counters.connects === 0) end(new SteadingError(UNREACHABLE, `The adapter ${adapter} cannot be reached.`));
    }),
    ...(flags.seconds === undefined ? [] : [clock.timer(seconds(flags.seconds), () => end())]),
  ];
  try {
    bus.start(signal);
    await stopped(signal);
  } finally {
    for (const cancel of cancels) cancel();
    await bus.stop();
    capture?.end();
    if (file) await closeFile(file);
  }
  if (failure?.code === UNREACHABLE) {
    world.stderr.write(`${flags.json ? JSON.stringify(failure.toJson()) : failure.message}\n`);
    return EXIT.cannotStart;
  }
  if (failure) throw failure;
  const { symbols, telegrams, broken } = bus.counters;
  world.stderr.write(flags.json ? "" : `${telegrams} telegrams, ${symbols} symbols, ${sum(broken)} broken\n`);
  if (symbols === 0 && !flags.json) world.stderr.write(NOTHING_HEARD);
  return EXIT.ok;
}

/** An address that cannot be read is wrong usage of the command, not a fault of the bus. */
function asAddress(adapter: string): AdapterAddress {
  try {
    return readAdapterAddress(adapter);
  } catch (cause) {
    throw new SteadingError("USAGE", cause instanceof Error ? cause.message : "No adapter address.", { cause });
  }
}

const NOTHING_HEARD =
  "Not one symbol was heard: the bus is dead, or the adapter waits for a greeting, which is not sent to a port nobody knows.\n";

const WORDS = { plain_port: "the plain protocol", enhanced_port: "the enhanced protocol" } as const;

async function openFile(path: string): Promise<WriteStream> {
  // Never over an older recording: nobody can make that one again.
  const file = createWriteStream(path, { flags: "wx" });
  try {
    await once(file, "open");
  } catch (cause) {
    throw new SteadingError("USAGE", `Cannot create ${path}; is there such a file already?`, { cause });
  }
  return file;
}

async function closeFile(file: WriteStream): Promise<void> {
  if (file.destroyed) return;
  file.end();
  await once(file, "close");
}

function sum(counts: Readonly<Partial<Record<string, number>>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}
