/** How one unit misbehaves; every knob may be turned while masters are connected. */
export interface UnitKnobs {
  /** As if unplugged: neither acts nor answers. */
  dead: boolean;
  /** Acts and never answers. */
  silent: boolean;
  /** Answers that many milliseconds late, and holds its bus so long. */
  slow: number;
  /** Relay channels whose contacts are welded. The board takes the command, echoes it, and nothing moves. */
  stuck: readonly number[];
  /** Coils are reported as the opposite of what they are. */
  lyingReadBack: boolean;
  /** That many answers are rubbish of the right length. */
  garbage: number;
  /** That many answers carry a wrong checksum (RTU) or somebody else's transaction number (TCP). */
  foreign: number;
  /** Every request is refused with this code; 0 is none. */
  refuse: number;
}

/** How one gateway misbehaves. */
export interface GatewayKnobs {
  /** Every byte in a segment of its own. */
  split: boolean;
  /** Two answers in one segment: an old one that nobody waits for stands before each answer. */
  merged: boolean;
  /** Two answers in one segment: each is sent twice. */
  doubled: boolean;
  /** Turns new connections away. */
  refuseConnections: boolean;
  /** What a dead unit looks like from outside: nothing at all, or the gateway's own exception 0B (TCP). */
  deadUnits: "silence" | "exception";
  /** How long the gateway waits for a dead unit before it serves the next request. */
  waitMs: number;
}

export const UNIT_KNOBS: Readonly<UnitKnobs> = {
  dead: false,
  silent: false,
  slow: 0,
  stuck: [],
  lyingReadBack: false,
  garbage: 0,
  foreign: 0,
  refuse: 0,
};

export const GATEWAY_KNOBS: Readonly<GatewayKnobs> = {
  split: false,
  merged: false,
  doubled: false,
  refuseConnections: false,
  deadUnits: "silence",
  waitMs: 200,
};

/** Turns some knobs; a name that there is not, or a value of another kind, is an error. */
export function turn<Knobs extends object>(knobs: Knobs, defaults: Readonly<Knobs>, given: Partial<Knobs>): void {
  for (const [name, value] of Object.entries(given)) {
    const usual: unknown = Object.hasOwn(defaults, name) ? defaults[name as keyof Knobs] : undefined;
    if (usual === undefined)
      throw new Error(`There is no knob ${name}; there are ${Object.keys(defaults).join(", ")}.`);
    if (typeof usual !== typeof value || Array.isArray(usual) !== Array.isArray(value)) {
      throw new Error(`Knob ${name} takes a ${Array.isArray(usual) ? "list" : typeof usual}; got ${String(value)}.`);
    }
  }
  Object.assign(knobs, given);
}
