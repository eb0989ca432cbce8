import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { importFarm, type FarmImportReport, type Remark } from "@steading/farm";
import { createRealClock, days, silentLog, type Caller } from "@steading/kernel";
import { openForeignDatabase, type ForeignDatabase } from "@steading/store";
import { EXIT } from "../exit-codes.ts";
import { openCore, type Core } from "../hub/open-core.ts";
import { createProgressLine } from "../local/progress-line.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment, type Environment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import { printTable } from "./print-table.ts";

export interface FarmImportFlags {
  readonly data?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const CENTURY = days(36_500);
const MiB = 1024 * 1024;
/**
 * Readings older than a hub keeps are taken all the same: they add up to hours and days, which stay when the hub drops them
 * again. Everything but readings is one commit, larger than a hub ever makes one.
 */
const LIMITS = {
  keepRaw: CENTURY,
  keepMinutes: CENTURY,
  keepHours: CENTURY,
  commitBytes: 512 * MiB,
  queueBytes: 1024 * MiB,
};

/** Takes over the database of a SenseHub. */
export async function farmImport(file: string, flags: FarmImportFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const data = dataDirectory(flags.data, environment);
  const dryRun = flags.dryRun === true;
  const isThere = existsSync(join(data, "state.db"));
  // A hub that runs is told of before anything is copied; a file that is none must not leave a state behind.
  let core = isThere ? await open(data, environment) : undefined;
  let source: ForeignDatabase | undefined;
  try {
    const path = resolve(world.workingDirectory, file);
    source = await openForeignDatabase({ file: path, workIn: isThere || !dryRun ? data : tmpdir() });
    if (!dryRun) core ??= await open(data, environment);
    const report = await take({ core, source, dryRun, world });
    world.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : inWords(report));
    return EXIT.ok;
  } finally {
    await source?.close();
    await core?.store.close();
  }
}

function open(data: string, { jwtSecret }: Environment): Promise<Core> {
  return openCore({
    settings: { access: "write", issuers: [] },
    data,
    clock: createRealClock(),
    log: silentLog, // what goes wrong is answered
    limits: LIMITS,
    ...(jwtSecret !== undefined && { jwtSecret }),
  });
}

async function take({
  core,
  source,
  dryRun,
  world,
}: {
  readonly core: Core | undefined;
  readonly source: ForeignDatabase;
  readonly dryRun: boolean;
  readonly world: World;
}): Promise<FarmImportReport> {
  const line = createProgressLine(world.stderr);
  try {
    return await importFarm({
      source,
      target: core && targetOf(core),
      dryRun,
      clock: createRealClock(),
      signal: world.stop,
      progress: ({ table, done, of }) => line?.show({ progress: done, total: of, message: table }),
    });
  } finally {
    line?.clear();
  }
}

function targetOf({ store: { ledger, history }, journal, accounts }: Core) {
  const by: Caller = { principal: "local", role: "admin", transport: "cli", correlation: randomUUID() };
  return {
    ledger,
    journal,
    history,
    accounts: {
      importAccounts: (people: Parameters<typeof accounts.changes.importAccounts>[1]) =>
        accounts.changes.importAccounts(by, people),
      find: (name: string) => accounts.find(name),
    },
  };
}

function inWords({ dryRun, tables, left }: FarmImportReport): string {
  const shown = tables.filter(({ found }) => found > 0);
  const table = printTable(
    ["TABLE", "FOUND", dryRun ? "WOULD TAKE" : "TAKEN"],
    shown.map(({ table: name, found, taken }) => [name, String(found), String(taken)]),
  );
  const remarks = shown.flatMap(({ table: name, skipped, notes }) => [
    ...skipped.map((each) => `  ${name}: ${each.rows} left out: ${wordsOf(each)}`),
    ...notes.map((each) => `  ${name}: ${each.rows} taken, ${wordsOf(each)}`),
  ]);
  const rest = left.map(({ table: name, rows }) => `  ${name}: ${rows}; this hub has no place for it`);
  const lines = [...remarks, ...rest];
  const end = dryRun ? "Nothing was changed." : "Done. Stop the old hub before you start this one: both would switch.";
  return `${table}${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}\n${end}\n`;
}

function wordsOf({ reason, rows, examples }: Remark): string {
  if (examples.length === 0) return reason;
  return `${reason} (${examples.join(", ")}${rows > examples.length ? ", …" : ""})`;
}
