import type { Cancel, Clock, Duration } from "@steading/kernel";

/** Something to be said at most once per period: at once the first time, then once more at the end if asked again. */
export interface Thinned {
  ask(): void;
  stop(): void;
}

export function createThinned({
  clock,
  every,
  say,
  idle,
}: {
  readonly clock: Clock;
  readonly every: Duration;
  say(): void;
  /** A period has passed without a request: whoever keeps this by key may let go of it. */
  idle?(): void;
}): Thinned {
  let pause: Cancel | undefined;
  let asked = false;

  function speak(): void {
    asked = false;
    pause = clock.timer(every, () => {
      pause = undefined;
      if (asked) speak();
      else idle?.();
    });
    say();
  }
  return {
    ask() {
      if (pause === undefined) speak();
      else asked = true;
    },
    stop() {
      pause?.();
      pause = undefined;
      asked = false;
    },
  };
}
