import type {
  Accounts,
  AccountDesk,
  AskedEffect,
  Clock,
  Door,
  Duration,
  Outcome,
  RouteContext,
} from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import type { HubFacts } from "../rows/system-info.ts";

/** What the REST calls stand on. */
export interface ApiDeps {
  readonly core: FarmCore;
  readonly facts: HubFacts;
  readonly door: Pick<Door, "perform">;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly desk: AccountDesk;
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
