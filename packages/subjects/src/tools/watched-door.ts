import type { AskedEffect, Outcome, ToolContext } from "@steading/kernel";

/** The door of one call, with the role that a write needs, and a memory of what it answered. */
export interface WatchedDoor {
  readonly perform: (effect: AskedEffect) => Promise<Outcome>;
  /** The latest answer; undefined while one is being waited for, and when there was none. */
  last(): Outcome | undefined;
  /** Waits for effects that were asked for and left running. */
  settled(): Promise<void>;
  /** One of the effects may or may not have taken place. */
  isInDoubt(): boolean;
}

export function watchedDoor(context: Pick<ToolContext, "perform">): WatchedDoor {
  const running = new Set<Promise<unknown>>();
  let last: Outcome | undefined;
  let lost: Outcome | undefined;

  async function perform(effect: AskedEffect): Promise<Outcome> {
    last = undefined;
    const outcome = await context.perform({ minimumRole: "operator", ...effect });
    last = outcome;
    if (outcome.receipt.stage === "unknown") lost = outcome;
    return outcome;
  }

  return {
    perform(effect) {
      const answer = perform(effect);
      const noted = answer.catch(() => {}).then(() => void running.delete(noted));
      running.add(noted);
      return answer;
    },
    // What is not known outweighs what was seen to succeed after it.
    last: () => lost ?? last,
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
    isInDoubt: () => lost !== undefined || running.size > 0,
  };
}
