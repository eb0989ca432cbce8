import { createJournal, createManualClock, createMemoryLedger, millis, silentLog, type Caller } from "@steading/kernel";
import { createAccounts, type AccountsDeps } from "../accounts/create-accounts.ts";

export const SECRET = new TextEncoder().encode("Qm3vT8xK1nZ6rB9wL4yH7cD2fG5jP0sU");
export const PASSWORD = "mole carries lantern";
export const OTHER_PASSWORD = "heron folds the map";

/** Whoever holds the machine. */
export const LOCAL: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "test" };

/** Accounts on a ledger in memory. Failed logins are answered at once, since time stands still until a test moves it. */
export function createTrialAccounts({ limits, ...given }: Partial<AccountsDeps> = {}) {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const accounts = createAccounts({
    ledger,
    journal,
    clock,
    log: silentLog,
    secret: SECRET,
    placeToolsets: ["subjects"],
    ...given,
    limits: { failureAnswer: millis(0), ...limits },
  });
  return { clock, ledger, journal, accounts, changes: accounts.changes };
}

export function callerNamed(principal: string, over: Partial<Caller> = {}): Caller {
  return { principal, role: "viewer", transport: "http", correlation: "test", ...over };
}
