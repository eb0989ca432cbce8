import type { AskedEffect, Cancel } from "@steading/kernel";
import { Folder, type Source, type SourceContext, type Subject, type Update } from "@steading/subjects";
import { farmError } from "../farm-errors.ts";
import type { EquipmentBook } from "../model/equipment-book.ts";
import type { FarmEvents } from "../model/farm-events.ts";
import type { RelayControl } from "../model/relay-control.ts";
import type { Equipment, Zone } from "../model/rows.ts";
import type { Zones } from "../model/zones.ts";
import {
  createChannelSubject,
  createEquipmentSubject,
  createMeasurementSubject,
  createZoneSubject,
  type ChannelSubject,
} from "./farm-subjects.ts";

interface Mounted {
  readonly subject: Subject;
  readonly measurements: ReadonlyMap<string, Subject>;
  readonly channels: ReadonlyMap<number, ChannelSubject>;
}

export interface FarmSourceDeps {
  readonly book: EquipmentBook;
  readonly zones: Zones;
  readonly relays: RelayControl;
  readonly events: FarmEvents;
}

/** The farm in the graph: equipment by its number, and zones that refer to what stands in them. */
export function createFarmSource({ book, zones, relays, events }: FarmSourceDeps): Source {
  const mounted = new Map<number, Mounted>();
  const places = new Map<number, Subject>();
  /** Which relay a channel of the graph stands for. */
  const relayOf = new WeakMap<Subject, { readonly equipmentId: number; readonly channel: number }>();
  let context: SourceContext | undefined;
  let forget: Cancel = () => {};

  function make(equipment: Equipment): Mounted {
    const { id, name, type } = equipment;
    const metrics = book.metrics(equipment).filter((metric) => metric.enabled);
    const measurements = new Map(
      metrics
        .filter((metric) => !metric.isChannel)
        .map((metric) => [
          metric.name,
          createMeasurementSubject({ name: metric.label ?? metric.name, unit: metric.unit }),
        ]),
    );
    const channels = new Map(
      metrics
        .filter((metric) => metric.isChannel)
        .map((metric) => {
          const channel = createChannelSubject({ number: metric.address, name: metric.label ?? metric.name });
          relayOf.set(channel, { equipmentId: id, channel: metric.address });
          return [metric.address, channel];
        }),
    );
    // Posted metrics have no mapping; they are known from their first value on.
    for (const [metric, { unit }] of book.state(id).metrics) {
      if (!measurements.has(metric)) measurements.set(metric, createMeasurementSubject({ name: metric, unit }));
    }
    const subject = createEquipmentSubject({ name, kind: type, number: id, measurements, channels });
    return { subject, measurements, channels };
  }

  function mount(equipment: Equipment): void {
    unmount(equipment.id);
    const made = make(equipment);
    mounted.set(equipment.id, made);
    context?.attach("equipment", String(equipment.id), made.subject);
    for (const zone of equipment.zone_ids) link(zone, equipment.id, made);
    // From the first moment: a channel that nobody owns could be set without a byte leaving.
    for (const channel of made.channels.values()) context?.claim(channel, ["on"]);
    context?.write(valuesOf(equipment.id, made));
  }

  function link(zone: number, id: number, { subject }: Mounted): void {
    if (places.has(zone)) context?.attach(`zones/${zone}`, String(id), subject);
  }

  function unmount(id: number): void {
    const former = mounted.get(id);
    mounted.delete(id);
    if (former) context?.detach(former.subject);
  }

  function mountZone(zone: Zone): void {
    const former = places.get(zone.id);
    if (former) context?.detach(former);
    const made = createZoneSubject({ name: zone.name });
    places.set(zone.id, made);
    context?.attach("zones", String(zone.id), made);
    for (const { id, zone_ids } of book.list()) {
      const there = mounted.get(id);
      if (there && zone_ids.includes(zone.id)) link(zone.id, id, there);
    }
  }

  function refreshZone(id: number): void {
    const zone = zones.list().find((each) => each.id === id);
    if (zone) return mountZone(zone);
    const former = places.get(id);
    places.delete(id);
    if (former) context?.detach(former);
  }

  function valuesOf(id: number, { subject, measurements, channels }: Mounted): readonly Update[] {
    const state = book.state(id);
    const updates: Update[] = [{ subject, property: "status", value: state.status }];
    for (const [name, measurement] of measurements) {
      const metric = state.metrics.get(name);
      if (typeof metric?.value !== "number") continue;
      updates.push({
        subject: measurement,
        property: "value",
        value: metric.value,
        at: metric.at,
        quality: metric.quality,
      });
    }
    for (const [number, channel] of channels) {
      const known = state.channels.get(number);
      if (!known || known.confirmedAt === null) continue;
      const quality = known.on === null ? "stale" : "good";
      updates.push({ subject: channel, property: "on", value: known.on ?? channel.on, at: known.at, quality });
    }
    return updates;
  }

  function refresh(id: number): void {
    const equipment = book.find(id);
    if (equipment) mount(equipment);
    else unmount(id);
  }

  return {
    writes: "door",
    start(given) {
      context = given;
      given.attach("", "equipment", Folder.create({}));
      given.attach("", "zones", Folder.create({}));
      for (const zone of zones.list()) mountZone(zone);
      for (const equipment of book.list()) mount(equipment);
      forget = events.on((event) => {
        if (event.kind === "zone") return refreshZone(event.id);
        if (event.kind === "equipment" && event.change !== "status") return refresh(event.id);
        if (event.kind !== "equipment" && event.kind !== "reading" && event.kind !== "relay") return;
        const there = mounted.get(event.id);
        const equipment = book.find(event.id);
        if (!there || !equipment) return;
        const isUnseen = event.kind === "reading" && event.readings.some(({ name }) => !there.measurements.has(name));
        if (isUnseen) mount(equipment);
        else context?.write(valuesOf(event.id, there));
      });
      return Promise.resolve();
    },
    load: () => Promise.resolve([...mounted].flatMap(([id, there]) => valuesOf(id, there))),
    effectFor({ subject, value, path }): AskedEffect {
      const relay = relayOf.get(subject);
      if (!relay) throw farmError("NOT_SWITCHABLE", `${path} cannot be written.`);
      return relays.effectFor({ ...relay, state: value, source: "manual" });
    },
    stop() {
      forget();
      context = undefined;
      return Promise.resolve();
    },
  };
}
