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

interface PaceSettings {
  readonly clock: Clock;
  /** Absent: as fast as things change. */
  readonly perSecond?: number | undefined;
  /** As many kinds as a client can ask for. More can only be left from what it asked for before; the oldest goes. */
  readonly mostHeld: number;
}

export function createPace(settings: PaceSettings): MakePaced {
  return ({ send, paused = false }) => new Pace(settings, send, paused);
}

/** A class, and lazy, because there is one for every session and most never hold anything. */
class Pace<Notice> implements Paced<Notice> {
  readonly #settings: PaceSettings;
  readonly #send: (notice: Notice) => void;
  #held: Map<string, Notice> | undefined;
  /** When each notice of the last second went out. */
  #said: number[] | undefined;
  #paused: boolean;
  #waiting: Cancel | undefined;

  constructor(settings: PaceSettings, send: (notice: Notice) => void, paused: boolean) {
    this.#settings = settings;
    this.#send = send;
    this.#paused = paused;
  }

  say(kind: string, notice: Notice): void {
    // Behind what is held already, or a client would hear of the later change first.
    if (this.#paused || this.#held !== undefined) return this.#hold(kind, notice);
    const left = this.#wait();
    if (left === undefined) return this.#send(notice);
    this.#hold(kind, notice);
    this.#sayLater(left);
  }

  pause(): void {
    this.#paused = true;
    this.#stopWaiting();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#sayHeld();
  }

  stop(): void {
    this.#stopWaiting();
    this.#held = undefined;
  }

  #hold(kind: string, notice: Notice): void {
    this.#held ??= new Map();
    this.#held.set(kind, notice);
    const oldest = this.#held.size > this.#settings.mostHeld ? this.#held.keys().next().value : undefined;
    if (oldest !== undefined) this.#held.delete(oldest);
  }

  /** Undefined: go ahead. Else how long until the oldest notice is a second old. */
  #wait(): number | undefined {
    const { clock, perSecond } = this.#settings;
    if (perSecond === undefined) return undefined;
    const now = clock.monotonic();
    const said = (this.#said ??= []);
    while (said[0] !== undefined && now - said[0] >= SPAN) said.shift();
    if (said[0] !== undefined && said.length >= perSecond) return said[0] + SPAN - now;
    said.push(now);
    return undefined;
  }

  #sayHeld(): void {
    this.#waiting = undefined;
    const held = this.#held;
    if (held === undefined) return;
    for (const [kind, notice] of held) {
      const left = this.#wait();
      if (left !== undefined) return this.#sayLater(left);
      held.delete(kind);
      this.#send(notice);
      // Whoever was told may be gone by that.
      if (this.#held !== held) return;
    }
    this.#held = undefined;
  }

  #sayLater(left: number): void {
    this.#waiting = this.#settings.clock.timer(millis(Math.ceil(left)), () => this.#sayHeld());
  }

  #stopWaiting(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
