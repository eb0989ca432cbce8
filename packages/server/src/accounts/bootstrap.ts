import { randomUUID } from "node:crypto";
import type { Clock, Journal } from "@steading/kernel";
import type { AccessTokens } from "../auth/access-tokens.ts";
import { userPuts } from "./users/user-changes.ts";
import { SPACES, type UserRecord } from "./users/user-record.ts";
import { ID_COUNTER, type UserStore } from "./users/user-store.ts";

export interface FirstAdmin {
  readonly name: string;
  /** Shown once. */
  readonly token: string;
}

const NAME = "admin";

/**
 * The first start makes an admin with an access token and no password: nobody can guess what does not exist. Undefined
 * when there are accounts already.
 */
export async function bootstrapAdmin({
  users,
  tokens,
  journal,
  clock,
  given,
}: {
  readonly users: UserStore;
  readonly tokens: Pick<AccessTokens, "draft">;
  readonly journal: Journal;
  readonly clock: Pick<Clock, "now">;
  readonly given: string | undefined;
}): Promise<FirstAdmin | undefined> {
  if (users.all().length > 0) return undefined;
  const { id, revision } = users.nextId();
  const { token, lines } = tokens.draft({ principal: NAME, role: "admin", label: "first start" }, given);
  const now = clock.now();
  const user: UserRecord = {
    id,
    name: NAME,
    displayName: NAME,
    role: "admin",
    disabled: false,
    createdAt: now,
    changedAt: now,
  };
  const data = { user: id, name: NAME, role: "admin", by: "system" };
  await journal.commit({
    durability: "fixed",
    expect: [
      ...lines.expect,
      { space: SPACES.counters, key: ID_COUNTER, revision },
      { space: SPACES.names, key: NAME, revision: 0 },
    ],
    puts: [...userPuts(user, undefined), { space: SPACES.counters, key: ID_COUNTER, value: id + 1 }, ...lines.puts],
    deletes: lines.deletes,
    records: [journal.record("audit", { kind: "user.created", correlation: randomUUID(), data }), ...lines.records],
  });
  return { name: NAME, token };
}
