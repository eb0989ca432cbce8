/** How the lamp misbehaves. Every knob may be turned while connections are open; it counts from the next line on. */
export interface LampKnobs {
  /** Milliseconds between a line and its answer. The command itself is carried out at once. */
  slow: number;
  /** Carries commands out and answers nothing. */
  silent: boolean;
  /** Receives, and neither carries out nor answers. */
  deaf: boolean;
  /** `?` tells the opposite of what was commanded last: after switching on it still reads off. */
  lyingReadBack: boolean;
  /** Carries the line out and drops the connection where the answer should come. */
  hangUp: boolean;
  /** Every byte of an answer leaves by itself. */
  dribble: boolean;
  /** Carries commands out and answers each line with rubbish. */
  garbage: boolean;
  /** Keeps every answer back until `release`. Commands are carried out on arrival all the same. */
  hold(): void;
  /** Lets the held answers go, in order. */
  release(): void;
  readonly held: boolean;
  /** Drops every connection that is open; clients may connect again. */
  cut(): void;
  /** All knobs off, held answers released. Open connections stay. */
  reset(): void;
}

/** Resolves at once while nothing is held. */
export interface LampGate {
  readonly knobs: LampKnobs;
  opened(): Promise<void>;
}

export function createLampKnobs({ cut }: { cut: () => void }): LampGate {
  let open = Promise.resolve();
  let release: (() => void) | undefined;

  const knobs: LampKnobs = {
    ...allOff(),
    hold() {
      if (release) return;
      open = new Promise((resolve) => {
        release = resolve;
      });
    },
    release() {
      release?.();
      release = undefined;
    },
    get held() {
      return release !== undefined;
    },
    cut,
    reset() {
      Object.assign(knobs, allOff());
      knobs.release();
    },
  };
  return { knobs, opened: () => open };
}

function allOff() {
  return { slow: 0, silent: false, deaf: false, lyingReadBack: false, hangUp: false, dribble: false, garbage: false };
}
