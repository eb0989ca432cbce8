import type { Clock, Door, Journal, Ledger, Log, Reception } from "@steading/kernel";
import type { GatewayAddress } from "../modbus/gateway-address.ts";
import { createTcpDial } from "../modbus/tcp-dial.ts";
import type { Dial } from "../modbus/wire.ts";
import { createAlerts, type Alerts } from "./alerts.ts";
import { registerAutomationObserver } from "./automation-effect.ts";
import { createAutomationTemplates, type AutomationTemplates } from "./automation-templates.ts";
import { createAutomations, type Automations } from "./automations.ts";
import { registerWriteObserver } from "./bus-write-effect.ts";
import { createDirectModbus, type DirectModbus } from "./direct-modbus.ts";
import { createDeviceTemplates, type DeviceTemplates } from "./device-templates.ts";
import { createEquipmentErrors, type EquipmentErrors } from "./equipment-errors.ts";
import { createEquipmentBook, type EquipmentBook } from "./equipment-book.ts";
import { createFarmEvents, type FarmEvents } from "./farm-events.ts";
import type { FarmHistory } from "./farm-history.ts";
import { createField, type Field } from "./field.ts";
import { createPreferences, type PreferenceBook } from "./preferences.ts";
import { createReadings, type Readings } from "./readings.ts";
import { createRelayControl, type RelayControl } from "./relay-control.ts";
import { restoreReadings } from "./restore-readings.ts";
import { createSettings, type Settings } from "./settings.ts";
import { loadTables, type Tables } from "./tables.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";
import { createZones, type Zones } from "./zones.ts";

export interface FarmCoreDeps {
  readonly door: Pick<Door, "registerObserver" | "registerInterlock">;
  readonly journal: Pick<Journal, "commit" | "record">;
  readonly ledger: Pick<Ledger, "get" | "list">;
  readonly history: FarmHistory;
  readonly reception: Reception;
  readonly clock: Clock;
  readonly log: Log;
  /** How a gateway is reached. Default: TCP. */
  readonly dial?: ((address: GatewayAddress) => Dial) | undefined;
  /** For one answer of a unit, 200 to 5000. Default 1000. */
  readonly timeoutMs?: number | undefined;
  /** The name of whoever did something, for people. Default: the principal itself. */
  readonly nameOf?: ((principal: string) => string) | undefined;
  /** The number of an account; undefined for whoever has none, such as a fixed key. */
  readonly userIdOf?: ((principal: string) => number | undefined) | undefined;
}

/** Everything the farm knows and can do, without any way in from outside. */
export interface FarmCore {
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly zones: Zones;
  readonly book: EquipmentBook;
  readonly alerts: Alerts;
  readonly readings: Readings;
  readonly field: Field;
  readonly relays: RelayControl;
  readonly automations: Automations;
  readonly automationTemplates: AutomationTemplates;
  readonly deviceTemplates: DeviceTemplates;
  readonly equipmentErrors: EquipmentErrors;
  readonly direct: DirectModbus;
  readonly settings: Settings;
  readonly watchdog: Watchdog;
  readonly preferences: PreferenceBook;
  readonly history: FarmHistory;
  /** How a gateway is reached. */
  readonly dial: (address: GatewayAddress) => Dial;
  now(): number;
  nameOf(principal: string): string;
  userIdOf(principal: string): number | undefined;
}

export function createFarmCore(deps: FarmCoreDeps): FarmCore {
  const {
    door,
    journal,
    ledger,
    history,
    reception,
    clock,
    log,
    dial = createTcpDial,
    timeoutMs,
    nameOf = String,
    userIdOf = () => undefined,
  } = deps;
  const now = (): number => clock.now();
  const tables = loadTables({ ledger, journal });
  const events = createFarmEvents({ log });
  const zones = createZones({ tables, events, now });
  const book = createEquipmentBook({ tables, events, now });
  const onError = (message: string, error: unknown): void => log.error(message, error);
  const alerts = createAlerts({ tables, events, now, onError });
  const readings = createReadings({ book, history, alerts, events, log });
  const field = createField({ book, readings, events, clock, reception, log, dial, timeoutMs });
  const relays = createRelayControl({ book, field, door, tables, alerts, events, now, onError });
  const automationTemplates = createAutomationTemplates({ tables, events, now });
  const templates = automationTemplates;
  const automations = createAutomations({ book, field, relays, alerts, tables, templates, events, now });
  registerAutomationObserver(door);
  registerWriteObserver({ door, field, reception });
  restoreReadings({ book, history });
  return {
    tables,
    events,
    zones,
    book,
    alerts,
    readings,
    field,
    relays,
    automations,
    automationTemplates,
    deviceTemplates: createDeviceTemplates({ tables, now }),
    equipmentErrors: createEquipmentErrors({ tables, book, field, events, now }),
    direct: createDirectModbus({ book, field }),
    settings: createSettings({ tables, now }),
    watchdog: createWatchdog({ tables, book, field, events, clock, log }),
    preferences: createPreferences({ tables }),
    history,
    dial,
    now,
    nameOf,
    userIdOf,
  };
}
