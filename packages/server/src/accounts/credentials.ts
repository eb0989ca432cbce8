import type { Clock } from "@steading/kernel";
import type { AccessToken } from "../auth/token-record.ts";
import type { UserStore } from "./users/user-store.ts";

/** What a caller came with, by name and never by secret, so that it can be looked up again after a wait. */
export interface Credentials {
  /** Is it still what its principal came with: neither revoked, ended nor expired? */
  stands(credential: string, principal: string): boolean;
}

export const credentialOf = {
  token: (id: string): string => `token:${id}`,
  login: (userId: number, id: string): string => `login:${userId}:${id}`,
  /** Nobody here can see whether another issuer took a token back; only when it ends. */
  issued: (expiresAt: number): string => `issuer:${expiresAt}`,
};

export function createCredentials({
  token,
  users,
  clock,
}: {
  token(id: string): AccessToken | undefined;
  readonly users: Pick<UserStore, "byId" | "logins">;
  readonly clock: Pick<Clock, "now">;
}): Credentials {
  function tokenStands(id: string, principal: string): boolean {
    const found = token(id);
    return found?.principal === principal && (found.expiresAt ?? Infinity) > clock.now();
  }
  function loginStands(userId: string, id: string | undefined, principal: string): boolean {
    const user = users.byId(Number(userId));
    if (user?.name !== principal) return false;
    const login = users.logins(user.id).logins.find((each) => each.id === id);
    return login !== undefined && login.expiresAt > clock.now();
  }
  return {
    stands(credential, principal) {
      const [kind, first = "", second] = credential.split(":");
      switch (kind) {
        case "token":
          return tokenStands(first, principal);
        case "login":
          return loginStands(first, second, principal);
        case "issuer":
          return Number(first) > clock.now(); // what is no number is never greater
        default:
          return false;
      }
    },
  };
}
