import type { Effect, Interlock, JsonObject, Stage } from "@steading/kernel";
import type { Alerts } from "./alerts.ts";
import { isBoardEffect } from "./board-effect.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { FarmEvents } from "./farm-events.ts";
import { isRelayEffect, RELAY_SOURCES } from "./relay-effect.ts";
import type { RelayEvent } from "./rows.ts";
import type { Tables } from "./tables.ts";

export interface AutoOff {
  readonly at: number;
  readonly reason: string;
}

export interface RelayRecordsDeps {
  readonly book: EquipmentBook;
  readonly tables: Tables;
  readonly alerts: Alerts;
  readonly events: FarmEvents;
  readonly now: () => number;
  readonly onError: (message: string, error: unknown) => void;
}

type Switched = Pick<Effect, "arguments" | "caller">;

/**
 * What every switch leaves behind, whoever asked for it and by whichever way. It refuses nothing: it is an interlock
 * because those hear how every effect ended.
 */
export function createRelayRecords({ book, tables, alerts, events, now, onError }: RelayRecordsDeps): {
  readonly interlock: Interlock;
  /** When a channel will go off by itself; undefined when nothing says so. */
  autoOff(equipmentId: number, channel: number): AutoOff | undefined;
} {
  /** By equipment and channel; at most one for each channel there is. */
  const autoOffs = new Map<string, AutoOff>();
  /** When the first byte of an effect left. */
  const sentAt = new WeakMap<object, number>();
  const keyOf = (equipmentId: number, channel: number): string => `${equipmentId}:${channel}`;

  function rows({ arguments: given, caller }: Switched, confirmed: boolean): readonly RelayEvent[] {
    const { equipment_id, source, automation_id } = given;
    if (typeof equipment_id !== "number") return [];
    return channelsIn(given).map(({ channel, state }) => ({
      id: tables.nextId("relay_events"),
      equipment_id,
      channel,
      state,
      source: RELAY_SOURCES.find((each) => each === source) ?? "manual",
      automation_id: typeof automation_id === "number" ? automation_id : null,
      user_id: caller.principal,
      confirmed,
      generation: book.state(equipment_id).generations.get(channel) ?? 0,
      created_at: now(),
    }));
  }

  async function record(written: readonly RelayEvent[], stage: Stage): Promise<void> {
    await tables.commit(written.map((put) => ({ table: "relay_events", put })));
    for (const { equipment_id, channel, state, confirmed } of written) {
      const fingerprint = `relay_unconfirmed:${equipment_id}:${channel}`;
      if (confirmed) {
        await alerts.clear(fingerprint);
        continue;
      }
      if (stage === "acknowledged") continue; // a board that never answers cannot be confirmed, and that is known
      // A board that said no to the frame for all its coils is switched channel by channel next.
      if (stage === "failed" && written.length > 1) continue;
      // Of a whole board, only the channels that are not as they should be are worth a word.
      if (written.length > 1 && book.state(equipment_id).channels.get(channel)?.on === state) continue;
      await alerts.raise({
        severity: "critical",
        message: `Channel ${channel} of equipment ${equipment_id} was switched ${state ? "on" : "off"} and does not read back so`,
        source: "relay",
        equipmentId: equipment_id,
        fingerprint,
      });
    }
  }

  /**
   * Something left, and nobody has read back since: what was known of these channels is not known any more. One that may
   * be on counts as on, so that nothing puts it out of reach.
   */
  function doubt(effect: Switched): void {
    const { equipment_id } = effect.arguments;
    const since = sentAt.get(effect);
    if (typeof equipment_id !== "number" || since === undefined || !book.find(equipment_id)) return;
    const { channels } = book.state(equipment_id);
    for (const { channel, state } of channelsIn(effect.arguments)) {
      const known = channels.get(channel);
      if ((known?.confirmedAt ?? -Infinity) >= since) continue;
      const was = state || (known?.on ?? known?.was) === true;
      channels.set(channel, { on: null, was, confirmedAt: null, at: now() });
    }
  }

  function tell(written: readonly RelayEvent[]): void {
    const [first] = written;
    const equipment = first && book.find(first.equipment_id);
    if (!first || !equipment) return;
    const shared = { equipmentId: equipment.id, writeOnly: equipment.write_only, confirmed: first.confirmed };
    const data: JsonObject =
      written.length > 1
        ? { ...shared, relayStates: Object.fromEntries(written.map(({ channel, state }) => [channel, state])) }
        : {
            ...shared,
            channel: first.channel,
            state: first.state,
            source: first.source,
            ...(first.automation_id === null ? {} : { automationId: first.automation_id }),
          };
    events.emit({ kind: "relay", id: equipment.id, data });
  }

  const interlock: Interlock = {
    name: "farm.relay-records",
    applies: (effect) => isRelayEffect(effect) || isBoardEffect(effect),
    check: () => undefined,
    admitted({ arguments: given }) {
      const { equipment_id, duration_seconds: lasts } = given;
      if (typeof equipment_id !== "number") return;
      const { generations } = book.state(equipment_id);
      for (const { channel } of channelsIn(given)) {
        generations.set(channel, (generations.get(channel) ?? 0) + 1);
        // Whatever was to end it belonged to the command before.
        autoOffs.delete(keyOf(equipment_id, channel));
        if (typeof lasts !== "number") continue;
        autoOffs.set(keyOf(equipment_id, channel), { at: now() + lasts * 1_000, reason: "duration" });
      }
    },
    sent: (effect) => void sentAt.set(effect, now()),
    ended(effect, stage) {
      if (stage === undefined) return;
      if (stage === "unknown") doubt(effect);
      const written = rows(effect, stage === "observed").filter(({ equipment_id }) => book.find(equipment_id));
      if (written.length === 0) return;
      tell(written);
      record(written, stage).catch((error: unknown) => onError("A switch could not be recorded.", error));
    },
  };
  return {
    interlock,
    autoOff(equipmentId, channel) {
      const found = autoOffs.get(keyOf(equipmentId, channel));
      return found && found.at > now() ? found : undefined;
    },
  };
}

/** What was switched: one channel, or every one of a board. */
function channelsIn({ channel, state, channels, states }: JsonObject): { channel: number; state: boolean }[] {
  if (typeof channel === "number" && typeof state === "boolean") return [{ channel, state }];
  if (!Array.isArray(channels) || !Array.isArray(states)) return [];
  return channels.flatMap((each: unknown, i) => {
    const on: unknown = states[i];
    return typeof each === "number" && typeof on === "boolean" ? [{ channel: each, state: on }] : [];
  });
}
