import { accessSync, constants, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createJournal, createRealClock, silentLog, SteadingError } from "@steading/kernel";
import { createArming } from "../hub/arming.ts";
import { bad, good, odd, type Finding } from "./finding.ts";

/** Bits that let anybody but the owner in. */
const OTHERS = 0o077;

/** The directory, and every file in it, must be its owner's alone. */
export function checkPermissions(data: string): Finding {
  const check = "data directory";
  if (!existsSync(data)) return good(check, `${data} does not exist yet; the first start makes it.`);
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return bad(check, `${data} cannot be read and written by this user.`, "Run as the user that owns it.");
  }
  const open = [data, ...readdirSync(data).map((name) => join(data, name))].filter(
    (path) =>
      process.platform !== "win32" && (lstatSync(path).mode & OTHERS) !== 0 && !lstatSync(path).isSymbolicLink(),
  );
  if (open.length === 0) return good(check, `${data} is its owner's alone.`);
  return bad(check, `Others may look into ${open.slice(0, 5).join(", ")}.`, `Run: chmod -R go= ${data}`);
}

export function checkStagedRestore(data: string): Finding | undefined {
  if (!existsSync(join(data, "restore"))) return undefined;
  return odd("restore", "A restore lies ready; the next start takes it up.", "`steading restore --cancel` forgets it.");
}

/** Opens the state as a start would, which looks through it. Never with a restore ready: that would take it up. */
export async function checkState(data: string): Promise<Finding> {
  const check = "state";
  if (!existsSync(join(data, "state.db"))) return good(check, "There is none yet.");
  if (existsSync(join(data, "restore"))) return odd(check, "Not looked at, because a restore lies ready.");
  const { openStore } = await import("@steading/store");
  const clock = createRealClock();
  try {
    const store = await openStore({ dir: data, clock, log: silentLog });
    const { status, reason } = store.health();
    const journal = createJournal({ ledger: store.ledger, clock, log: silentLog });
    const held = createArming({ store, journal, clock }).health();
    await store.close();
    if (status !== "ok") return bad(check, reason ?? `It is ${status}.`);
    if (held.reason !== undefined) return odd(check, `It is whole. ${held.reason}`);
    return good(check, "It is whole.");
  } catch (error) {
    if (!(error instanceof SteadingError)) throw error;
    if (error.code === "DATA_DIR_LOCKED") {
      return bad(check, `${error.message}.`, "It does not answer on its socket; wait for it, or stop that process.");
    }
    return bad(check, error.message, error.hint);
  }
}
