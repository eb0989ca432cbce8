import { minutes } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { FarmEvents } from "./farm-events.ts";
import { SEVERITIES, type Alert, type Severity } from "./rows.ts";
import type { Tables } from "./tables.ts";

export interface NewAlert {
  readonly severity: Severity;
  readonly message: string;
  readonly source: string;
  readonly equipmentId?: number | null | undefined;
  readonly zoneId?: number | null | undefined;
  readonly automationId?: number | null | undefined;
  /** The same one again, while it is not cleared, counts up instead of making a second alert. */
  readonly fingerprint?: string | undefined;
}

export interface AlertFilter {
  readonly severity?: Severity | undefined;
  readonly acknowledged?: boolean | undefined;
  readonly cleared?: boolean | undefined;
  readonly equipmentId?: number | undefined;
  readonly zoneId?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What somebody should know about. An alert is open until its cause ends, and active until somebody has acknowledged it. */
export interface Alerts {
  raise(alert: NewAlert, by?: string): Promise<Alert>;
  /** Clears the open alert of that fingerprint, if there is one. */
  clear(fingerprint: string): Promise<void>;
  acknowledge(id: number, by: string): Promise<Alert>;
  /** Newest first. */
  list(filter?: AlertFilter): readonly Alert[];
  get(id: number): Alert;
}

/** A crash may set the count of an alert that lasts back by so long. */
const COUNT_KEPT_EVERY = minutes(1);

export function createAlerts({
  tables,
  events,
  now,
  onError = () => {},
}: {
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly now: () => number;
  readonly onError?: (message: string, error: unknown) => void;
}): Alerts {
  /** Open alerts by fingerprint, so that a rule that is true with every reading costs one look. */
  const open = new Map<string, number>();
  for (const { id, fingerprint, cleared_at } of tables.all("alerts")) {
    if (fingerprint !== null && cleared_at === null) open.set(fingerprint, id);
  }

  /** When the count of an open alert last went to disk. */
  const writtenAt = new Map<number, number>();

  function get(id: number): Alert {
    const alert = tables.get("alerts", id);
    if (!alert) throw farmError("ALERT_UNKNOWN", `There is no alert ${id}.`, { details: { alert_id: id } });
    return alert;
  }

  return {
    get,
    async raise(
      { severity, message, source, equipmentId = null, zoneId = null, automationId = null, fingerprint },
      by,
    ) {
      if (!SEVERITIES.includes(severity)) {
        throw farmError("BAD_INPUT", `The severity must be one of ${SEVERITIES.join(", ")}.`);
      }
      const at = now();
      // What is about a device is about its place as well.
      const zone_id =
        zoneId ?? (equipmentId === null ? null : (tables.get("equipment", equipmentId)?.zone_ids[0] ?? null));
      const known = fingerprint === undefined ? undefined : open.get(fingerprint);
      const standing = known === undefined ? undefined : tables.get("alerts", known);
      if (standing) {
        const seen = { ...standing, count: standing.count + 1, last_seen_at: at };
        // A rule that is true with every reading would cost a write to disk for each.
        const isDue = at - (writtenAt.get(seen.id) ?? -Infinity) >= COUNT_KEPT_EVERY;
        if (isDue) {
          writtenAt.set(seen.id, at);
          await tables.commit([{ table: "alerts", put: seen }]).catch((error: unknown) => {
            writtenAt.delete(seen.id);
            if (by !== undefined) throw error;
            tables.touch("alerts", seen);
          });
        } else {
          tables.touch("alerts", seen);
        }
        events.emit({ kind: "alert", change: "seen", id: seen.id });
        return seen;
      }
      const alert: Alert = {
        id: tables.nextId("alerts"),
        equipment_id: equipmentId,
        zone_id,
        automation_id: automationId,
        severity,
        message,
        source,
        fingerprint: fingerprint ?? null,
        count: 1,
        acknowledged: false,
        acknowledged_by: null,
        acknowledged_at: null,
        created_at: at,
        last_seen_at: at,
        cleared_at: null,
      };
      if (fingerprint !== undefined) {
        open.set(fingerprint, alert.id);
        writtenAt.set(alert.id, at);
      }
      const data = { alert_id: alert.id, severity, source };
      try {
        await tables.commit(
          [{ table: "alerts", put: alert }],
          by === undefined ? undefined : { kind: "farm.alert.created", by, data },
        );
      } catch (error) {
        if (by !== undefined) throw error;
        // What the hub itself has to tell is told also when the disk takes nothing; it is written when it is seen again.
        onError("An alert is told, but could not be written.", error);
        tables.touch("alerts", alert);
        writtenAt.delete(alert.id);
      }
      events.emit({ kind: "alert", change: "created", id: alert.id });
      return alert;
    },
    async clear(fingerprint) {
      const id = open.get(fingerprint);
      open.delete(fingerprint);
      const alert = id === undefined ? undefined : tables.get("alerts", id);
      if (id !== undefined) writtenAt.delete(id);
      if (!alert || alert.cleared_at !== null) return;
      await tables.commit([{ table: "alerts", put: { ...alert, cleared_at: now() } }]);
      events.emit({ kind: "alert", change: "cleared", id: alert.id });
    },
    async acknowledge(id, by) {
      const alert = get(id);
      if (alert.acknowledged) throw farmError("ALREADY_ACKNOWLEDGED", `Alert ${id} is acknowledged already.`);
      const done = { ...alert, acknowledged: true, acknowledged_by: by, acknowledged_at: now() };
      await tables.commit([{ table: "alerts", put: done }], {
        kind: "farm.alert.acknowledged",
        by,
        data: { alert_id: id },
      });
      events.emit({ kind: "alert", change: "acknowledged", id });
      return done;
    },
    list(filter = {}) {
      return tables
        .all("alerts")
        .filter((alert) => fits(alert, filter))
        .toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
    },
  };
}

function fits(alert: Alert, { severity, acknowledged, cleared, equipmentId, zoneId, from, to }: AlertFilter): boolean {
  return (
    (severity === undefined || alert.severity === severity) &&
    (acknowledged === undefined || alert.acknowledged === acknowledged) &&
    (cleared === undefined || (alert.cleared_at !== null) === cleared) &&
    (equipmentId === undefined || alert.equipment_id === equipmentId) &&
    (zoneId === undefined || alert.zone_id === zoneId) &&
    (from === undefined || alert.created_at >= from) &&
    (to === undefined || alert.created_at <= to)
  );
}
