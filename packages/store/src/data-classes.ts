import type { Commit, Durability, Log, StreamName } from "@steading/kernel";

/** Which class each kind of data has at least, whatever a commit asks for. */
export interface DataClasses {
  /** By space, or by the dotted beginning of its name; the longest that fits decides, and `""` fits everything. */
  readonly spaces: Readonly<Record<string, Durability>>;
  readonly streams: Readonly<Record<StreamName, Durability>>;
}

/** The classes of the design. What nobody has declared is fixed: that may be slow, but it is never wrong. */
export const DATA_CLASSES: DataClasses = {
  spaces: {
    "": "fixed",
    // Effects: reservations, outcomes and their keys.
    actions: "fixed",
    keys: "fixed",
    approvals: "fixed",
    timers: "fixed",
    // Accounts.
    users: "fixed",
    "user-passwords": "fixed",
    "user-logins": "fixed",
    "access-tokens": "fixed",
    "access-token-use": "volatile",
    settings: "fixed",
    "mcp-tasks": "kept",
    farm: "fixed",
    "farm.timers": "fixed",
    "farm.settings": "fixed",
    "farm.automations": "fixed",
    "farm.alerts": "fixed",
    orchestrator: "fixed",
    "orchestrator.timers": "fixed",
    "orchestrator.graphs": "fixed",
    "orchestrator.blackboard": "kept",
    "orchestrator.pheromones": "kept",
    "orchestrator.triples": "kept",
    "orchestrator.values": "kept",
    "orchestrator.runs": "kept",
    // Beyond the table that is kept of it; see `child output` in the reference.
    "orchestrator.child-output": "volatile",
    store: "fixed",
  },
  streams: { audit: "fixed", runs: "kept", bus: "volatile" },
};

const STRENGTH: Readonly<Record<Durability, number>> = { volatile: 0, kept: 1, fixed: 2 };
const stronger = (a: Durability, b: Durability): Durability => (STRENGTH[b] > STRENGTH[a] ? b : a);
const NONE: readonly never[] = [];
/** Spaces whose class is remembered; the names come from programs, but nobody promises how many there are. */
const KNOWN_SPACES = 1_000;

export interface ClassRules {
  /** How safe a commit is made: as safe as it asks, and as safe as everything in it has to be. */
  durabilityOf(commit: Commit): Durability;
  classOf(space: string): Durability;
}

export function createClassRules({ classes, log }: { classes: DataClasses; log: Log }): ClassRules {
  const known = new Map<string, Durability>();

  function classOf(space: string): Durability {
    const found = known.get(space);
    if (found !== undefined) return found;
    const least = lookUp(classes.spaces, space);
    if (known.size >= KNOWN_SPACES) known.clear();
    known.set(space, least.durability);
    if (least.name === "" && space !== "") {
      log.debug(`The space ${space} has no class of its own and counts as ${least.durability}.`);
    }
    return least.durability;
  }

  return {
    classOf,
    durabilityOf({ durability, puts = NONE, deletes = NONE, records = NONE }) {
      let strongest = durability;
      for (const { stream } of records) strongest = stronger(strongest, classes.streams[stream]);
      for (const { space } of puts) strongest = stronger(strongest, classOf(space));
      // What was deleted and comes back acts again: a cancelled timer would fire.
      for (const { space } of deletes) strongest = stronger(strongest, classOf(space));
      return strongest;
    },
  };
}

function lookUp(spaces: DataClasses["spaces"], space: string): { name: string; durability: Durability } {
  for (let name = space; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const durability = Object.hasOwn(spaces, name) ? spaces[name] : undefined;
    if (durability !== undefined) return { name, durability };
  }
  return { name: "", durability: spaces[""] ?? "fixed" };
}
