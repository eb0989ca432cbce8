import type { Journal } from "@steading/kernel";
import type { SubjectActionRecord } from "@steading/subjects";

/** Outcomes of writes that changed the graph without passing the door, which keeps its own record of everything else. */
const CHANGED_HERE = ["applied", "queued"];

/** Puts what changed inside the hub, and every operation that ran, on the audit stream. The tools wait for it. */
export function journalSubjects({
  journal,
}: {
  readonly journal: Pick<Journal, "append">;
}): (record: SubjectActionRecord) => Promise<void> {
  return async ({ caller, action, path, method, old, new: value, outcome, effect }) => {
    if (effect !== undefined || (action === "write" && !CHANGED_HERE.includes(outcome))) return;
    await journal.append("audit", {
      kind: action === "write" ? "subject.written" : "subject.invoked",
      correlation: caller.correlation,
      data: {
        principal: caller.principal,
        path,
        outcome,
        ...(method !== undefined && { method }),
        ...(old !== undefined && { old }),
        ...(value !== undefined && { value }),
      },
    });
  };
}
