import { createFarmEvents, type FarmEvents } from "../model/farm-events.ts";
import type { FarmCore } from "../model/farm-core.ts";
import type { Log } from "@steading/kernel";
import type { CoreView } from "./core-view.ts";
import type { ZoneName } from "./equipment-from-core.ts";

type Described = Pick<FarmCore, "book" | "zones" | "automations" | "events">;

export interface DescribedCore {
  /** The names of a foreign core in the form from which live descriptions are made. */
  readonly core: Described;
  /** Tells the descriptions that names may have changed; they look for themselves whether they have. */
  namesSeen(): void;
}

export function createDescribedCore({
  view,
  log,
}: {
  readonly view: () => CoreView;
  readonly log: Log;
}): DescribedCore {
  const events: FarmEvents = createFarmEvents({ log });
  const book = {
    // How its boards count time is the core's own affair; its channels are those that it names.
    list: () => view().equipment.map((each) => ({ ...each, register_mappings: [] })),
    metrics: ({ id }: { readonly id: number }) => view().findEquipment(id)?.metrics ?? [],
  };
  const zones = { list: () => zoneNames(view()) };
  const automations = { list: () => view().automations };
  return {
    // Descriptions ask for names, channels and nothing else of all that a core of our own could tell.
    core: { book, zones, automations, events } as unknown as Described,
    namesSeen: () => events.emit({ kind: "zone", id: 0 }),
  };
}

function zoneNames({ zones, equipment }: CoreView): readonly { readonly name: string }[] {
  const known: readonly Pick<ZoneName, "name">[] = zones ?? equipment.flatMap((each) => each.zones);
  return [...new Set(known.map(({ name }) => name))].toSorted((a, b) => a.localeCompare(b)).map((name) => ({ name }));
}
