import type { Clock, Duration, Ledger } from "@steading/kernel";
import { TOKEN_SPACE, TOKEN_USE_SPACE } from "./token-record.ts";

/** When each token was last used, to within a few minutes: enough to find the forgotten ones. */
export interface TokenUse {
  /** `revision` is the token's own: a token that is revoked meanwhile must not leave a trace. */
  note(key: string, revision: number): void;
  lastUsedAt(key: string): number | undefined;
  /** Times that could not be written down, because the store was busy or full. */
  readonly lost: number;
}

export function createTokenUse({
  ledger,
  clock,
  every,
}: {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly every: Duration;
}): TokenUse {
  let lost = 0;
  function lastUsedAt(key: string): number | undefined {
    const value = ledger.get(TOKEN_USE_SPACE, key)?.value;
    return typeof value === "number" ? value : undefined;
  }
  return {
    lastUsedAt,
    note(key, revision) {
      const now = clock.now();
      const last = lastUsedAt(key);
      if (last !== undefined && now >= last && now - last < every) return;
      ledger
        .commit({
          durability: "volatile",
          expect: [{ space: TOKEN_SPACE, key, revision }],
          puts: [{ space: TOKEN_USE_SPACE, key, value: now }],
        })
        .catch(() => lost++);
    },
    get lost() {
      return lost;
    },
  };
}
