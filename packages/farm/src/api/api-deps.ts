import type {
  Accounts,
  AccountDesk,
  AskedEffect,
  Caller,
  Clock,
  Door,
  Duration,
  Outcome,
  RouteContext,
} from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import type { LogPages } from "../model/log-pages.ts";
import type { HubFacts } from "../rows/system-info.ts";

/** The hub's own arming: while it is held, nothing is switched on, whoever asks. */
export interface ArmingPort {
  /** Undefined: it is armed. */
  held(): { readonly since: number; readonly because: string } | undefined;
  stop(by: Caller): Promise<void>;
  arm(by: Caller): Promise<void>;
}

/** Where the hub's copies of itself are made and found. */
export interface BackupPort {
  /** Copies everything while the hub runs. */
  make(name: string, by: Caller): Promise<{ readonly madeAt: number; readonly bytes: number }>;
  /** Checks one and lays it ready for the next start. */
  restore(name: string, by: Caller): Promise<void>;
}

/** What the REST calls stand on. */
export interface ApiDeps {
  readonly core: FarmCore;
  readonly facts: HubFacts;
  readonly door: Pick<Door, "perform">;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly desk: AccountDesk;
  readonly logs: LogPages;
  /** Stops and frees the hub's switching; without it the farm can only tell whether it is armed. */
  readonly arming?: ArmingPort | undefined;
  readonly backups?: BackupPort | undefined;
  /** How long a login lasts. */
  readonly sessionTimeout: Duration;
}

/** The door, for whoever made this request. */
export function performerFor(
  { door }: Pick<ApiDeps, "door">,
  { caller, signal, headers }: RouteContext,
  tool: string,
): (effect: AskedEffect) => Promise<Outcome> {
  const key = headers["idempotency-key"];
  return (asked) =>
    door.perform(
      {
        minimumRole: "operator",
        confirm: "plain",
        ...asked,
        tool,
        caller,
        ...(key === undefined || key === "" || key.length > 128 ? {} : { key }),
      },
      { signal },
    );
}
