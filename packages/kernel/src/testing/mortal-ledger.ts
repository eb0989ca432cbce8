import type { Ledger } from "../ledger.ts";

/** A ledger as one process sees it. After `kill` that process has no more say, while what it wrote stays. */
export function createMortalLedger(ledger: Ledger): { readonly ledger: Ledger; kill(): void; readonly dead: boolean } {
  let dead = false;
  return {
    kill: () => void (dead = true),
    get dead() {
      return dead;
    },
    ledger: {
      ...ledger,
      commit: (commit) => (dead ? new Promise(() => {}) : ledger.commit(commit)),
      close: async () => {},
    },
  };
}
