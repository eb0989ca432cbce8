import {
  createApprovals,
  createDoor,
  createJournal,
  createReception,
  type Approvals,
  type Clock,
  type Log,
  type Reception,
  type WorkingDoor,
  type WorkingJournal,
} from "@steading/kernel";
import {
  createAccountDesk,
  createAccounts,
  readJwtSecret,
  type WorkingAccountDesk,
  type WorkingAccounts,
} from "@steading/server";
import { openStore, type Store, type StoreDeps } from "@steading/store";
import type { Settings } from "../settings/settings-schema.ts";
import { createArming, type Arming } from "./arming.ts";
import { secretFile } from "./secret-file.ts";

export interface CoreDeps {
  readonly settings: Pick<Settings, "access" | "publicUrl" | "issuers">;
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  /** JWT_SECRET; made and kept in the data directory when it is not given. */
  readonly jwtSecret?: string;
  /** Of the store, where a command needs others than a hub. */
  readonly limits?: StoreDeps["limits"];
}

/** What decides and remembers, without anything that listens or any device: also enough to change accounts offline. */
export interface Core {
  readonly store: Store;
  readonly journal: WorkingJournal;
  readonly arming: Arming;
  readonly approvals: Approvals;
  readonly reception: Reception;
  readonly accounts: WorkingAccounts;
  readonly door: WorkingDoor;
  readonly desk: WorkingAccountDesk;
}

/** Toolsets whose tools look at the places of a token. */
const PLACE_TOOLSETS = ["subjects", "graph-extras"];

/** Opens the data directory, under its lock. Whoever opened it closes `store`. */
export async function openCore({ settings, data, clock, log, jwtSecret, limits = {} }: CoreDeps): Promise<Core> {
  // A secret that is no good is told before anything is opened.
  const given = jwtSecret === undefined ? undefined : readJwtSecret(jwtSecret);
  const store = await openStore({ dir: data, clock, log, limits });
  try {
    const { ledger } = store;
    const { access, publicUrl, issuers } = settings;
    const reception = createReception(clock);
    const journal = createJournal({ ledger, clock, log });
    const arming = createArming({ store, journal, clock });
    const approvals = createApprovals({ ledger, journal, clock });
    const accounts = createAccounts({
      ledger,
      journal,
      clock,
      log,
      secret: given ?? secretFile(data, "jwt.key"),
      ...(publicUrl !== undefined && { publicUrl }),
      issuers,
      placeToolsets: PLACE_TOOLSETS,
    });
    const { standing } = accounts;
    const door = createDoor({
      ledger,
      journal,
      approvals,
      reception,
      clock,
      log,
      access: () => arming.access(access),
      standing,
    });
    const desk = createAccountDesk({ accounts, ledger, door, reception });
    return { store, journal, arming, approvals, reception, accounts, door, desk };
  } catch (error) {
    await store.close();
    throw error;
  }
}
