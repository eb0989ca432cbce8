import { c, defineInterface, defineSubject, p, type Subject } from "@steading/subjects";
import { STATUSES } from "../model/rows.ts";

/** What anything that can be switched on and off looks like to an agent, whatever makes it go. */
const Switch = defineInterface("steading.Switch", {
  description: "Can be switched on and off",
  props: { on: p.boolean().writable() },
});

const Channel = defineSubject("steading.farm.Channel", {
  implements: [Switch],
  description: "One relay channel of a board; its number is the coil's address",
  props: {
    // Discrete: that it went off and on again between two looks is news, the two must not merge into nothing.
    on: p.boolean().writable().discrete().history().title("On"),
    number: p.integer().config(),
    name: p.string().config(),
  },
  title: (channel) => channel.name,
  icon: "toggle-left",
});

const Measurement = defineSubject("steading.farm.Measurement", {
  description: "One metric of a device",
  props: { value: p.number().history().title("Value"), unit: p.string().config(), name: p.string().config() },
  title: (measurement) => measurement.name,
  icon: "activity",
});

const Equipment = defineSubject("steading.farm.Equipment", {
  description: "A sensor, relay board, meter or controller of the farm",
  props: {
    name: p.string().config(),
    kind: p.string().config(),
    number: p.integer().config(),
    status: p.enum(STATUSES).discrete().title("Status"),
  },
  children: { measurements: c.map(() => Measurement), channels: c.map(() => Channel) },
  title: (equipment) => equipment.name,
  icon: "cpu",
});

const Zone = defineSubject("steading.farm.Zone", {
  description: "A place on the farm",
  props: { name: p.string().config() },
  children: { equipment: c.map(() => Equipment, { inline: true }) },
  title: (zone) => zone.name,
  icon: "map-pin",
});

/** A channel in the graph. */
export interface ChannelSubject extends Subject {
  /** As last seen; null before the first time. */
  readonly on: boolean | null;
}

export function createChannelSubject(given: { readonly number: number; readonly name: string }): ChannelSubject {
  return Channel.create(given);
}

export function createMeasurementSubject(given: { readonly name: string; readonly unit: string }): Subject {
  return Measurement.create(given);
}

export function createEquipmentSubject({
  measurements,
  channels,
  ...given
}: {
  readonly name: string;
  readonly kind: string;
  readonly number: number;
  readonly measurements: ReadonlyMap<string, Subject>;
  readonly channels: ReadonlyMap<number, Subject>;
}): Subject {
  return Equipment.create({
    ...given,
    // Both maps were filled by the two factories above.
    measurements: Object.fromEntries(measurements) as Record<string, ReturnType<typeof Measurement.create>>,
    channels: Object.fromEntries(channels) as unknown as Record<string, ReturnType<typeof Channel.create>>,
  });
}

export function createZoneSubject(given: { readonly name: string }): Subject {
  return Zone.create(given);
}
