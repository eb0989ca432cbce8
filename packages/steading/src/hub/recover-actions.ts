import { seconds, type Clock, type Door, type Log } from "@steading/kernel";

/** A device that is away must not keep the hub from starting; what is not seen by then stays in doubt, and listed. */
const DEADLINE = seconds(10);
/** Log lines; the rest is a number. */
const TOLD = 20;

/** Looks at every action that was under way when the hub last ended, and tells how many stay in doubt. Sends nothing. */
export async function recoverActions({
  door,
  clock,
  log,
  signal,
}: {
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<number> {
  const enough = new AbortController();
  const cancel = clock.timer(DEADLINE, () => enough.abort(new Error("The time to look at open actions is up.")));
  try {
    const { inDoubt } = await door.recover(AbortSignal.any([signal, enough.signal]));
    for (const { id, tool, target, summary, requestedAt } of inDoubt.slice(0, TOLD)) {
      log.warn("Nobody can tell what became of an action; it was not sent again.", {
        action: id,
        tool,
        target,
        summary,
        requestedAt: new Date(requestedAt).toISOString(),
      });
    }
    if (inDoubt.length > TOLD)
      log.warn("More actions are in doubt; list_actions shows them.", { inDoubt: inDoubt.length });
    return inDoubt.length;
  } finally {
    cancel();
  }
}
