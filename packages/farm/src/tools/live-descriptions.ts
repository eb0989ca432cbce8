import { deviceText, seconds, type Cancel, type Clock } from "@steading/kernel";
import { channelsOf } from "../model/channel.ts";
import type { FarmCore } from "../model/farm-core.ts";
import type { FarmEvent } from "../model/farm-events.ts";
import { SEED_SENTENCES, type FarmToolName } from "./seed-schemas.ts";

/** What each tool says of itself, with the names of what is there, so that a model need not look first. */
export interface LiveDescriptions {
  describe(tool: FarmToolName): string;
  /** Called once for many changes, a second after the first of them, when a text has really changed. */
  onChange(listener: () => void): Cancel;
  stop(): void;
}

const MOST_ITEMS = 60;
const MOST_BYTES = 2_000;
const NAME_CHARACTERS = 48;
const DEBOUNCE = seconds(1);

type Core = Pick<FarmCore, "book" | "zones" | "automations" | "events">;

export function createLiveDescriptions({
  core,
  clock,
  live,
}: {
  readonly core: Core;
  readonly clock: Clock;
  /** Off: the fixed sentences alone. */
  readonly live: boolean;
}): LiveDescriptions {
  const listeners = new Set<() => void>();
  let texts: Record<FarmToolName, string> = live ? describeAll(core) : SEED_SENTENCES;
  let cancel: Cancel | undefined;

  function recompute(): void {
    cancel = undefined;
    const before = JSON.stringify(texts);
    texts = describeAll(core);
    if (JSON.stringify(texts) !== before) for (const listener of listeners) listener();
  }
  const forget = live
    ? core.events.on((event) => {
        if (concernsNames(event)) cancel ??= clock.timer(DEBOUNCE, recompute);
      })
    : () => {};

  return {
    describe: (tool) => texts[tool],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      forget();
      cancel?.();
    },
  };
}

function concernsNames(event: FarmEvent): boolean {
  if (event.kind === "equipment") return event.change !== "status";
  if (event.kind === "automation") return event.change !== "started" && event.change !== "ended";
  return event.kind === "zone";
}

function describeAll({ book, zones, automations }: Core): Record<FarmToolName, string> {
  const equipment = book.list();
  const named = equipment.map(({ id, name, type }) => `'${safeName(name)} (ID ${id}, ${safeName(type)})'`);
  const sensors = equipment
    .filter((each) => book.metrics(each).some((metric) => !metric.isChannel) || each.type === "sensor")
    .map(({ id, name }) => `'${safeName(name)} (ID ${id})'`);
  const boards = equipment.flatMap((each) => {
    const channels = channelsOf(book, each);
    if (channels.length === 0) return [];
    const list = channels.map(({ address, label, name }) => `${address} ${safeName(label ?? name)}`).join(", ");
    return [`'${safeName(each.name)} (ID ${each.id})' channels ${list}`];
  });
  const programs = automations
    .list()
    .map(({ id, name, enabled }) => `'${safeName(name)} (ID ${id}, ${enabled ? "enabled" : "disabled"})'`);
  const places = zones.list().map(({ name }) => `'${safeName(name)}'`);
  return {
    ...SEED_SENTENCES,
    get_equipment_list: listing(SEED_SENTENCES.get_equipment_list, [
      ["Available", named],
      ["Zones", places],
    ]),
    get_sensor_readings: listing(SEED_SENTENCES.get_sensor_readings, [["Available sensors", sensors]]),
    control_relay: listing(SEED_SENTENCES.control_relay, [["Relay boards", boards]], "; "),
    trigger_automation: listing(SEED_SENTENCES.trigger_automation, [["Available", programs]]),
    toggle_automation: listing(SEED_SENTENCES.toggle_automation, [["Available", programs]]),
  };
}

/** A sentence and its lists, as much of them as fits. The first list may leave the later ones a fifth of the room. */
function listing(sentence: string, lists: readonly (readonly [string, readonly string[]])[], between = ", "): string {
  let text = sentence;
  let left = MOST_ITEMS;
  lists.forEach(([title, items], place) => {
    if (items.length === 0) return;
    const reserve = place < lists.length - 1 ? MOST_BYTES / 5 : 0;
    const room = MOST_BYTES - reserve - bytes(text) - bytes(` ${title}: `) - bytes(MORE(items.length));
    const fitting = fit(items.slice(0, left), between, room);
    left -= fitting.length;
    const more = items.length - fitting.length;
    text += ` ${title}: ${fitting.join(between)}${more > 0 ? MORE(more) : ""}`;
  });
  return text;
}

const MORE = (count: number): string => ` (+${count} more, call get_equipment_list)`;

function fit(items: readonly string[], between: string, room: number): readonly string[] {
  let used = 0;
  const end = items.findIndex((item) => {
    used += bytes(item) + between.length;
    return used > room;
  });
  return end < 0 ? items : items.slice(0, end);
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Operators write names, and models read descriptions: a name stays a short, quoted name. */
function safeName(name: string): string {
  return deviceText(name.normalize("NFC"), NAME_CHARACTERS).replaceAll(/['"`‘’“”]/g, "´");
}
