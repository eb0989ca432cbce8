/** How the core misbehaves. Each may be turned at any time and counts from the next request on. */
export interface CoreKnobs {
  /** Takes connections and drops them: the process is there, the service is not. */
  down: boolean;
  /** Milliseconds between a request and its answer; what was asked for is done at once. */
  slow: number;
  /** Answers 200 with something that is no JSON. */
  garbage: boolean;
  /** Does what it is told and drops the connection where the answer should come. */
  hangUp: boolean;
  /** Answers every request with this status and the reference's error body; nothing is done. */
  failWith: number | undefined;
  /** What the relay boards say to every command: the reference makes a 500 of it. */
  deviceError: string | undefined;
  /** Writes are acknowledged by the boards, and their read-back disagrees. */
  unconfirmed: boolean;
}

const allOff = (): CoreKnobs => ({
  down: false,
  slow: 0,
  garbage: false,
  hangUp: false,
  failWith: undefined,
  deviceError: undefined,
  unconfirmed: false,
});

export function createCoreKnobs(): CoreKnobs & { reset(): void } {
  const knobs = { ...allOff(), reset: () => void Object.assign(knobs, allOff()) };
  return knobs;
}
