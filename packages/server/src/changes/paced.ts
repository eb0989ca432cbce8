import { millis, seconds, type Cancel, type Clock } from "@steading/kernel";

/**
 * Notices to one client at a pace it can bear. What comes faster, or while nobody listens, is held: the last of each
 * kind, said as soon as there is room.
 */
export interface Paced<Notice> {
  say(kind: string, notice: Notice): void;
  pause(): void;
  resume(): void;
  stop(): void;
}

export type MakePaced = <Notice>(deps: { send(notice: Notice): void; readonly paused?: boolean }) => Paced<Notice>;

const SPAN = seconds(1);

export function createPace({
  clock,
  perSecond = Number.POSITIVE_INFINITY,
  mostHeld,
}: {
  readonly clock: Clock;
  /** Absent: as fast as things change. */
  readonly perSecond?: number | undefined;
  /** As many kinds as a client can ask for. More can only be left from what it asked for before; the oldest goes. */
  readonly mostHeld: number;
}): MakePaced {
  return ({ send, paused: startsPaused = false }) => {
    type Notice = Parameters<typeof send>[0];
    const held = new Map<string, Notice>();
    /** When each notice of the last second went out. */
    const said: number[] = [];
    let paused = startsPaused;
    let waiting: Cancel | undefined;

    /** Undefined: go ahead. Else how long until the oldest notice is a second old. */
    function wait(): number | undefined {
      if (perSecond === Number.POSITIVE_INFINITY) return undefined;
      const now = clock.monotonic();
      while (said[0] !== undefined && now - said[0] >= SPAN) said.shift();
      if (said[0] !== undefined && said.length >= perSecond) return said[0] + SPAN - now;
      said.push(now);
      return undefined;
    }
    function hold(kind: string, notice: Notice): void {
      held.set(kind, notice);
      const oldest = held.size > mostHeld ? held.keys().next().value : undefined;
      if (oldest !== undefined) held.delete(oldest);
    }
    function sayHeld(): void {
      waiting = undefined;
      for (const [kind, notice] of held) {
        const left = wait();
        if (left !== undefined) {
          waiting = clock.timer(millis(Math.ceil(left)), sayHeld);
          return;
        }
        held.delete(kind);
        send(notice);
      }
    }
    function stopWaiting(): void {
      waiting?.();
      waiting = undefined;
    }
    return {
      say(kind, notice) {
        // Behind what is held already, or a client would hear of the later change first.
        if (paused || held.size > 0) return hold(kind, notice);
        const left = wait();
        if (left === undefined) return send(notice);
        hold(kind, notice);
        waiting = clock.timer(millis(Math.ceil(left)), sayHeld);
      },
      pause() {
        paused = true;
        stopWaiting();
      },
      resume() {
        if (!paused) return;
        paused = false;
        sayHeld();
      },
      stop() {
        stopWaiting();
        held.clear();
      },
    };
  };
}
