import type { Clock, Journal } from "@steading/kernel";
import { loginsPut } from "../users/user-changes.ts";
import type { UserStore } from "../users/user-store.ts";

/** Forgets logins whose time is over. They are no good already; this only gives their room back. */
export async function purgeLogins({
  users,
  journal,
  clock,
}: {
  readonly users: UserStore;
  readonly journal: Pick<Journal, "commit">;
  readonly clock: Pick<Clock, "now">;
}): Promise<number> {
  const now = clock.now();
  let gone = 0;
  const puts = users.all().flatMap(({ id }) => {
    const { lastAt, logins } = users.logins(id);
    const kept = logins.filter(({ expiresAt }) => expiresAt > now);
    gone += logins.length - kept.length;
    return kept.length === logins.length ? [] : [loginsPut(id, lastAt, kept)];
  });
  if (puts.length > 0) await journal.commit({ durability: "kept", puts, records: [] });
  return gone;
}
