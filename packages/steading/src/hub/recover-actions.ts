import { seconds, type ActionRecord, type Clock, type Door, type Log } from "@steading/kernel";

/** How long the start waits. A device that is away must not keep the hub from starting; the looking goes on. */
const PATIENCE = seconds(10);
/** Log lines; the rest is a number. */
const TOLD = 20;

/**
 * Looks at every action that was under way when the hub last ended. Sends nothing. Resolves when the start may go on,
 * with how many are in doubt then; the looking itself goes on until all were looked at.
 */
export async function recoverActions({
  door,
  clock,
  log,
  signal,
}: {
  readonly door: Pick<Door, "recover" | "actions">;
  readonly clock: Pick<Clock, "timer">;
  readonly log: Log;
  /** Ends the looking. What is not seen by then stays in doubt, and the next start looks again. */
  readonly signal: AbortSignal;
}): Promise<number> {
  async function look(): Promise<number> {
    try {
      const { inDoubt } = await door.recover(signal);
      tell(inDoubt, log);
      return inDoubt.length;
    } catch (error) {
      log.error("The actions that the last run left open could not be looked at.", error);
      return countInDoubt(door);
    }
  }
  let cancel = (): void => {};
  const enough = new Promise<number>((resolve) => {
    cancel = clock.timer(PATIENCE, () => {
      const inDoubt = countInDoubt(door);
      log.info("The hub starts while actions that the last run left open are still being looked at.", { inDoubt });
      resolve(inDoubt);
    });
  });
  const inDoubt = await Promise.race([look(), enough]);
  cancel();
  return inDoubt;
}

function countInDoubt(door: Pick<Door, "actions">): number {
  return door.actions({ inDoubt: true, limit: 1_000 }).length;
}

function tell(inDoubt: readonly ActionRecord[], log: Log): void {
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
}
