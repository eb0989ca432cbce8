import type { Approval } from "./approval.ts";
import type { Clock } from "./clock.ts";
import type { Commit, Ledger } from "./ledger.ts";

const SPACE = "approvals";
const PAGE = 1_000;
/** Deletes that one commit carries along at most. */
const SWEEP = 64;

export interface ApprovalBook {
  readonly space: string;
  /** As it stands at this moment: one whose time has run out reads as expired. */
  read(id: string): { readonly approval: Approval; readonly revision: number } | undefined;
  pending(): readonly Approval[];
  remember(approval: Approval): void;
  /** Takes back one whose commit failed. */
  forget(id: string): void;
  /** Old entries to let go of, for the next commit. */
  sweep(): NonNullable<Commit["deletes"]>;
}

/** Finds approvals. The ledger is the truth; the book keeps only ids in order of asking, to count and to sweep. */
export function createApprovalBook({
  ledger,
  clock,
  remembered,
}: {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly remembered: number;
}): ApprovalBook {
  /** Open ones by id; the rest only as ids, oldest first. */
  let open: Map<string, Approval> | undefined;
  const ended = new Set<string>();

  function opened(): Map<string, Approval> {
    if (open) return open;
    open = new Map();
    const all: Approval[] = [];
    for (let after: string | undefined; ;) {
      const page = ledger.list(SPACE, after === undefined ? {} : { after });
      all.push(...page.map(({ entry }) => entry.value as unknown as Approval)); // nobody else writes to this space
      if (page.length < PAGE) break;
      after = page.at(-1)?.key;
    }
    for (const each of all.toSorted((a, b) => a.requestedAt - b.requestedAt)) place(each);
    return open;
  }

  function place(approval: Approval): void {
    const isOpen = approval.state === "pending" || approval.state === "granted";
    if (isOpen) {
      opened().set(approval.id, approval);
    } else {
      opened().delete(approval.id);
      ended.add(approval.id);
    }
  }

  function closeExpired(): void {
    const now = clock.now();
    for (const each of opened().values()) if (each.expiresAt <= now) place({ ...each, state: "expired" });
  }

  return {
    space: SPACE,
    read(id) {
      const entry = ledger.get(SPACE, id);
      if (!entry) return undefined;
      const approval = entry.value as unknown as Approval; // nobody else writes to this space
      const late = approval.expiresAt <= clock.now() && (approval.state === "pending" || approval.state === "granted");
      return { approval: late ? { ...approval, state: "expired" } : approval, revision: entry.revision };
    },
    pending() {
      closeExpired();
      return [...opened().values()].filter(({ state }) => state === "pending");
    },
    remember: place,
    forget: (id) => void opened().delete(id),
    sweep() {
      closeExpired();
      const surplus = [...ended].slice(0, Math.min(SWEEP, Math.max(0, ended.size - remembered)));
      for (const id of surplus) ended.delete(id);
      return surplus.map((key) => ({ space: SPACE, key }));
    },
  };
}
