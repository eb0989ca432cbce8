/** Runs long work in slices, one slice of each in turn, so that a short question overtakes a long one. */
export interface TurnTaker {
  add(
    id: number,
    work: Generator<void, unknown>,
    done: (result: { value: unknown } | { error: unknown }) => void,
  ): void;
  cancel(id: number): void;
}

interface Turn {
  readonly id: number;
  readonly work: Generator<void, unknown>;
  readonly done: (result: { value: unknown } | { error: unknown }) => void;
}

/** `later` brings the caller back after messages that arrived in the meantime. */
export function createTurnTaker({ later }: { later: (run: () => void) => void }): TurnTaker {
  const turns: Turn[] = [];
  let running = false;

  function runOne(): void {
    running = false;
    const turn = turns.shift();
    if (!turn) return;
    try {
      const step = turn.work.next();
      if (step.done === true) turn.done({ value: step.value });
      else turns.push(turn);
    } catch (error) {
      turn.done({ error });
    }
    runSoon();
  }

  function runSoon(): void {
    if (running || turns.length === 0) return;
    running = true;
    later(runOne);
  }

  return {
    add(id, work, done) {
      turns.push({ id, work, done });
      runSoon();
    },
    cancel(id) {
      const index = turns.findIndex((turn) => turn.id === id);
      if (index !== -1) turns.splice(index, 1);
    },
  };
}
