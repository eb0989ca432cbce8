import type { Journal, Log } from "@steading/kernel";
import type { SubjectActionRecord } from "@steading/subjects";

/** Outcomes of writes that changed the graph without passing the door, which keeps its own record of everything else. */
const CHANGED_HERE = ["applied", "queued"];

/** Puts what changed inside the hub, and every operation that ran, on the audit stream. */
export function journalSubjects({
  journal,
  log,
}: {
  readonly journal: Pick<Journal, "append">;
  readonly log: Log;
}): (record: SubjectActionRecord) => void {
  return ({ caller, action, path, method, old, new: value, outcome }) => {
    if (action === "write" && !CHANGED_HERE.includes(outcome)) return;
    const event = {
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
    };
    void journal
      .append("audit", event)
      .catch((error: unknown) => log.error("A change was not put on record.", error, { path }));
  };
}
