import { defineSubject, Folder, p, type Graph } from "@steading/subjects";

const HubSubject = defineSubject("steading.system.Hub", {
  description: "This hub itself",
  props: {
    version: p.string(),
    startedAt: p.dateTime(),
    access: p.enum(["read", "write"]).description("read: nothing is switched on, whoever asks"),
    armed: p
      .boolean()
      .description(
        "false after a restore or an emergency stop: nothing is switched on until somebody runs `steading arm`",
      ),
    // Things that nobody can tell about belong in sight, not only into a log.
    inDoubtAtStart: p
      .integer()
      .default(0)
      .description("Actions of which nobody could tell what became when the hub started"),
  },
  title: () => "Steading",
  icon: "home",
});

export interface SystemSubject {
  tellInDoubt(actions: number): void;
  tellArmed(armed: boolean): void;
}

/** Mounts what the hub says about itself at `/system/hub`, beside the status of its sources. */
export function mountSystem({
  graph,
  version,
  access,
  armed,
}: {
  readonly graph: Graph;
  readonly version: string;
  readonly access: "read" | "write";
  readonly armed: boolean;
}): SystemSubject {
  const hub = HubSubject.create({ version, access, armed, startedAt: new Date(graph.clock.now()).toISOString() });
  if (graph.find("/system") === null) graph.attach("/", "system", Folder.create({}));
  graph.attach("/system", "hub", hub);
  return {
    tellInDoubt: (actions) => hub.$set("inDoubtAtStart", actions),
    tellArmed: (is) => hub.$set("armed", is),
  };
}
