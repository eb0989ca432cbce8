import type { Json, JsonObject, Ledger, Observe, Reception } from "@steading/kernel";
import type { WorkingAccounts } from "../create-accounts.ts";
import { SPACES } from "../users/user-record.ts";

export const ACCOUNT_OBSERVER = "accounts";

/** What an account or a token has to look like once the change is there; kept with the reservation. */
export type Wanted =
  | { readonly see: "account"; readonly name: string; readonly role: string; readonly disabled: boolean }
  | { readonly see: "no-account"; readonly id: number }
  | { readonly see: "newer"; readonly space: "passwords" | "logins"; readonly id: number; readonly than: number }
  | { readonly see: "token" | "no-token"; readonly id: string };

/**
 * The ledger is the device of an account. It shows a commit before the disk has it, so nothing read there counts until
 * all that was written before is safe.
 */
export function createAccountObserver({
  accounts,
  ledger,
  reception,
}: {
  readonly accounts: Pick<WorkingAccounts, "find" | "byId" | "tokens">;
  readonly ledger: Ledger;
  readonly reception: Reception;
}): (reservation: JsonObject) => Observe {
  function isSo(wanted: Wanted): boolean {
    switch (wanted.see) {
      case "account": {
        const account = accounts.find(wanted.name);
        return account?.role === wanted.role && account.disabled === wanted.disabled;
      }
      case "no-account":
        return accounts.byId(wanted.id) === undefined;
      case "newer":
        return (ledger.get(SPACES[wanted.space], String(wanted.id))?.revision ?? 0) > wanted.than;
      case "token":
        return accounts.tokens().some(({ id }) => id === wanted.id);
      case "no-token":
        return !accounts.tokens().some(({ id }) => id === wanted.id);
    }
  }
  return (reservation) => ({
    async read() {
      await ledger.commit({ durability: "fixed", reserve: true });
      // Only the desk writes these reservations.
      return reception.received<Json>(isSo(reservation as unknown as Wanted));
    },
    satisfies: (value) => value === true,
  });
}
