import {
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createMemoryLedger,
  createRealClock,
  createReception,
  silentLog,
  type Caller,
  type Clock,
  type Door,
  type Effect,
  type Ledger,
  type Role,
  type WorkingDispatcher,
} from "@steading/kernel";
import { createGraph, type Graph } from "@steading/subjects";
import { createFarmPart, type FarmPart, type FarmPartDeps } from "../farm-part.ts";
import type { FarmCore } from "../model/farm-core.ts";
import type { FarmHistory } from "../model/farm-history.ts";
import type { Perform } from "../model/relay-control.ts";
import { createMemoryHistory } from "./memory-history.ts";

export interface TrialFarm {
  readonly part: FarmPart;
  readonly core: FarmCore;
  readonly graph: Graph;
  readonly ledger: Ledger;
  readonly history: FarmHistory;
  readonly dispatcher: WorkingDispatcher;
  readonly perform: Perform;
  readonly door: Door;
  readonly clock: Clock;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The farm with the real door, ledger and graph behind it, all in memory. */
export function createTrialFarm(
  given: Partial<Pick<FarmPartDeps, "dial" | "timeoutMs" | "liveDescriptions" | "storage">> & {
    readonly clock?: Clock;
    readonly ledger?: Ledger;
    readonly history?: FarmHistory;
    /** A function is asked again for every effect. */
    readonly access?: "read" | "write" | (() => "read" | "write");
  } = {},
): TrialFarm {
  const { clock = createRealClock(), history = createMemoryHistory(), access = "write", ...rest } = given;
  const ledger = given.ledger ?? createMemoryLedger({ clock });
  const log = silentLog;
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const door = createDoor({
    ledger,
    journal,
    clock,
    reception,
    approvals,
    log,
    access: typeof access === "string" ? () => access : access,
  });
  const graph = createGraph({ clock, log });
  const part = createFarmPart({
    graph,
    door,
    journal,
    ledger,
    history,
    reception,
    clock,
    log,
    version: "1.2.3",
    ...rest,
  });
  const stopping = new AbortController();
  return {
    part,
    core: part.core,
    graph,
    ledger,
    history,
    door,
    clock,
    dispatcher: createDispatcher({ toolsets: part.toolsets, door, clock, log }),
    perform: (asked) => {
      const effect: Effect = {
        ...asked,
        tool: "trial",
        caller: caller("operator"),
        minimumRole: "operator",
        confirm: "plain",
      };
      return door.perform(effect);
    },
    start: () => part.start(stopping.signal),
    async stop() {
      stopping.abort();
      await part.stop();
      await graph.close();
    },
  };
}

export function caller(role: Role, principal = `user:${role}`): Caller {
  return { principal, role, transport: "internal", correlation: "trial" };
}
