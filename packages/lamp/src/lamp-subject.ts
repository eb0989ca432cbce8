import { defineInterface, defineSubject, p, type Subject } from "@steading/subjects";

/** What anything that can be switched on and off looks like to an agent, whatever makes it go. */
const Switch = defineInterface("steading.Switch", {
  description: "Can be switched on and off",
  props: { on: p.boolean().writable() },
});

const Lamp = defineSubject("steading.lamp.Lamp", {
  implements: [Switch],
  description: "A lamp on the TCP line protocol",
  props: {
    // Discrete: that it went off and on again between two looks is news, the two must not merge into nothing.
    on: p.boolean().writable().discrete().history().title("On"),
    name: p.string().config(),
    connected: p.boolean().diagnostic().default(false),
    timeouts: p.integer().diagnostic().cumulative().default(0),
    garbage: p.integer().diagnostic().cumulative().default(0),
  },
  title: (lamp) => lamp.name,
  icon: "lightbulb",
});

/** A lamp in the graph. Its source owns all of these but the name. */
export interface LampSubject extends Subject {
  /** As last seen; null before the first time. */
  readonly on: boolean | null;
}

export const OWNED_PROPERTIES = ["on", "connected", "timeouts", "garbage"] as const;

export function createLampSubject({ title }: { readonly title: string }): LampSubject {
  return Lamp.create({ name: title });
}
