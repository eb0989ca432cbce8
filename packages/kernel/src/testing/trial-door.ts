import type { Approvals } from "../approval.ts";
import type { Caller } from "../caller.ts";
import { createApprovals } from "../create-approvals.ts";
import { createDoor, type DoorDeps, type WorkingDoor } from "../create-door.ts";
import { createJournal, type WorkingJournal } from "../create-journal.ts";
import type { Json } from "../json.ts";
import type { Ledger } from "../ledger.ts";
import type { Log } from "../log.ts";
import { createManualClock, type ManualClock } from "../manual-clock.ts";
import { createMemoryLedger } from "../memory-ledger.ts";
import { createReception, type Reception } from "../received.ts";

export interface TrialDoor {
  readonly clock: ManualClock;
  readonly ledger: Ledger;
  readonly journal: WorkingJournal;
  readonly approvals: Approvals;
  readonly reception: Reception;
  readonly door: WorkingDoor;
  /** Everything that was logged, as `level: message`. */
  readonly logged: readonly LoggedLine[];
}
export interface LoggedLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly cause?: unknown;
  readonly fields?: Readonly<Record<string, Json>>;
}

/** The real door with everything behind it, in memory and on a manual clock. Give it a ledger to open what that holds. */
export function createTrialDoor(
  given: Partial<Pick<DoorDeps, "ledger" | "access" | "standing" | "limits">> & { readonly clock?: ManualClock } = {},
): TrialDoor {
  const { clock = createManualClock(), access = () => "write" } = given;
  const ledger = given.ledger ?? createMemoryLedger({ clock });
  const { log, logged } = createTrialLog();
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const { standing, limits } = given;
  const door = createDoor({
    ledger,
    journal,
    clock,
    reception,
    approvals,
    log,
    access,
    ...(standing === undefined ? {} : { standing }),
    ...(limits === undefined ? {} : { limits }),
  });
  return { clock, ledger, journal, approvals, reception, door, logged };
}

export function createTrialLog(): { readonly log: Log; readonly logged: readonly LoggedLine[] } {
  const logged: LoggedLine[] = [];
  const line =
    (level: LoggedLine["level"]) =>
    (message: string, fields?: Readonly<Record<string, Json>>): void => {
      logged.push({ level, message, ...(fields === undefined ? {} : { fields }) });
    };
  return {
    logged,
    log: {
      debug: line("debug"),
      info: line("info"),
      warn: line("warn"),
      error(message, cause, fields) {
        logged.push({ level: "error", message, cause, ...(fields === undefined ? {} : { fields }) });
      },
    },
  };
}

export function trialCaller(over: Partial<Caller> = {}): Caller {
  return { principal: "anna", role: "operator", transport: "http", correlation: "call-1", ...over };
}
